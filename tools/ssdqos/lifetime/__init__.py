# SPDX-License-Identifier: GPL-2.0
"""A drive's lifetime: what the kernel keeps of it, told, drawn and kept over boots."""
