# SPDX-License-Identifier: GPL-2.0
"""Mapped devices of target ssdqos: clients of a drive that are promised throughput."""
