// SPDX-License-Identifier: GPL-2.0
/*
 * module.c - register the targets
 */
#include <linux/device-mapper.h>
#include <linux/module.h>

#include "flash_sysfs.h"
#include "flash_target.h"

static int __init ssdqos_init(void)
{
	ssdqos_flash_sysfs_init();
	return dm_register_target(&ssdqos_flash_target);
}

static void __exit ssdqos_exit(void)
{
	dm_unregister_target(&ssdqos_flash_target);
}

module_init(ssdqos_init);
module_exit(ssdqos_exit);

MODULE_DESCRIPTION("predictable SSDs: emulated flash drives for device-mapper");
MODULE_AUTHOR("The dm-ssdqos developers");
MODULE_LICENSE("GPL");
/* dmsetup loads "dm-<target>" where a table names an unknown target */
MODULE_ALIAS("dm-ssdqos-flash");
