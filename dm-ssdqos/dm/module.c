// SPDX-License-Identifier: GPL-2.0
/*
 * module.c - register the targets
 */
#include <linux/device-mapper.h>
#include <linux/module.h>

#include "dm/flash/sysfs.h"
#include "dm/flash/target.h"
#include "dm/ianus/sysfs.h"
#include "dm/ianus/target.h"
#include "dm/qos/drive.h"
#include "dm/qos/sysfs.h"
#include "dm/qos/target.h"

static int __init ssdqos_init(void)
{
	int r;

	ssdqos_flash_sysfs_init();
	ssdqos_qos_sysfs_init();
	ssdqos_ianus_sysfs_init();
	r = ssdqos_qos_init();
	if (r)
		return r;
	r = dm_register_target(&ssdqos_flash_target);
	if (r)
		goto out_with_qos;
	r = dm_register_target(&ssdqos_qos_target);
	if (r)
		goto out_with_flash;
	r = dm_register_target(&ssdqos_ianus_target);
	if (r)
		goto out_with_target;
	return 0;

out_with_target:
	dm_unregister_target(&ssdqos_qos_target);
out_with_flash:
	dm_unregister_target(&ssdqos_flash_target);
out_with_qos:
	ssdqos_qos_exit();
	return r;
}

static void __exit ssdqos_exit(void)
{
	dm_unregister_target(&ssdqos_ianus_target);
	dm_unregister_target(&ssdqos_qos_target);
	dm_unregister_target(&ssdqos_flash_target);
	ssdqos_qos_exit();
}

module_init(ssdqos_init);
module_exit(ssdqos_exit);

MODULE_DESCRIPTION("predictable SSDs: guaranteed throughput, emulated flash drives");
MODULE_AUTHOR("The dm-ssdqos developers");
MODULE_LICENSE("GPL");
/* dmsetup loads "dm-<target>" where a table names an unknown target */
MODULE_ALIAS("dm-ssdqos");
MODULE_ALIAS("dm-ssdqos-flash");
MODULE_ALIAS("dm-ssdqos-ianus");
