# SPDX-License-Identifier: GPL-2.0
"""The campaign `promise`: does what admission has accepted hold, whatever the neighbours do?"""
