import type { JobQueue } from "@bursar/core/port/JobQueue"
import type { Leadership } from "@bursar/core/port/Leadership"
import type { Queries } from "@bursar/core/store/Queries"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"

/** The ports that the suite of the storage uses. */
export type StorageSuitePorts = Storage | Tenants | Queries | Leadership | JobQueue
