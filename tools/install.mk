# SPDX-License-Identifier: GPL-2.0
#
# install.mk - the command-line tool on this machine
#
#   make install-tools     ssdqos, its manual, units of systemd, a rule of udev
#   make uninstall-tools   takes them away, stops and disables what was enabled;
#                          streams, /etc/ssdqos and /var/lib/ssdqos stay
#
# DESTDIR goes before all paths.  udev and systemd look into /usr/local/lib, too.

PREFIX ?= /usr/local
DESTDIR ?=

tools_sbin := $(PREFIX)/sbin
tools_python := $(PREFIX)/lib/ssdqos
tools_units := $(PREFIX)/lib/systemd/system
tools_rules := $(PREFIX)/lib/udev/rules.d
tools_man := $(PREFIX)/share/man
tools_doc := $(PREFIX)/share/doc/ssdqos
tools_completion := $(PREFIX)/share/bash-completion/completions

tools_packages := . lifetime mirror profiler qos smart streams trim
tools_unit_files := $(wildcard tools/systemd/*.service tools/systemd/*.timer)
tools_rule_files := $(wildcard tools/udev/*.rules)
tools_fill := sed -e 's|@SBINDIR@|$(tools_sbin)|g' -e 's|@PYTHONDIR@|$(tools_python)|g'

install-tools:
	@for package in $(tools_packages); do \
		install -d $(DESTDIR)$(tools_python)/ssdqos/$$package || exit; \
		install -m 644 tools/ssdqos/$$package/*.py $(DESTDIR)$(tools_python)/ssdqos/$$package || exit; \
	done
	@# compiled once, and not in each of the many runs at boot
	@python3 -m compileall -q -s "$(DESTDIR)" -p / $(DESTDIR)$(tools_python)
	@install -d $(DESTDIR)$(tools_sbin) $(DESTDIR)$(tools_units) $(DESTDIR)$(tools_rules) \
		$(DESTDIR)$(tools_man)/man8 $(DESTDIR)$(tools_man)/man5 $(DESTDIR)$(tools_completion) $(DESTDIR)$(tools_doc)/ABI
	@$(tools_fill) tools/ssdqos/ssdqos.in > $(DESTDIR)$(tools_sbin)/ssdqos
	@chmod 755 $(DESTDIR)$(tools_sbin)/ssdqos
	@for unit in $(notdir $(tools_unit_files)); do \
		$(tools_fill) tools/systemd/$$unit > $(DESTDIR)$(tools_units)/$$unit || exit; \
	done
	@for rule in $(notdir $(tools_rule_files)); do \
		$(tools_fill) tools/udev/$$rule > $(DESTDIR)$(tools_rules)/$$rule || exit; \
	done
	@install -m 755 tools/udev/is-saved $(DESTDIR)$(tools_python)
	@tools/ssdqos/rst-to-man docs/ssdqos-tool.rst > $(DESTDIR)$(tools_man)/man8/ssdqos.8
	@tools/ssdqos/rst-to-man docs/ssdqos-conf.rst ssdqos.conf 5 "a stream or a mirror that comes back at boot" \
		> $(DESTDIR)$(tools_man)/man5/ssdqos.conf.5
	@# what the manuals point to
	@install -m 644 docs/*.rst $(DESTDIR)$(tools_doc)
	@install -m 644 docs/ABI/* $(DESTDIR)$(tools_doc)/ABI
	@install -m 644 tools/completion/ssdqos $(DESTDIR)$(tools_completion)
	@DESTDIR=$(DESTDIR) tools/installed $(tools_units) reload

uninstall-tools:
	@DESTDIR=$(DESTDIR) tools/installed $(tools_units) before
	@rm -rf $(DESTDIR)$(tools_python) $(DESTDIR)$(tools_doc)
	@rm -f $(DESTDIR)$(tools_sbin)/ssdqos $(DESTDIR)$(tools_man)/man8/ssdqos.8 \
		$(DESTDIR)$(tools_man)/man5/ssdqos.conf.5 $(DESTDIR)$(tools_completion)/ssdqos
	@rm -f $(addprefix $(DESTDIR)$(tools_units)/,$(notdir $(tools_unit_files)))
	@rm -f $(addprefix $(DESTDIR)$(tools_rules)/,$(notdir $(tools_rule_files)))
	@DESTDIR=$(DESTDIR) tools/installed $(tools_units) after

.PHONY: install-tools uninstall-tools
