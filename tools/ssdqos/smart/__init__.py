# SPDX-License-Identifier: GPL-2.0
"""What a drive itself says of its wear, from the JSON of nvme and smartctl."""
