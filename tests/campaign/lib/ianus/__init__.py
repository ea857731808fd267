# SPDX-License-Identifier: GPL-2.0
"""A mirror whose members take turns, beside an ordinary one and one drive."""
