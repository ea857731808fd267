# SPDX-License-Identifier: GPL-2.0
"""The campaign "ready": drives that last as long as promised."""
