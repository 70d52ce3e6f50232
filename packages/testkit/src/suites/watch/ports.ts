import type { Writer } from "@bursar/core/engine/Writer"
import type { Leadership } from "@bursar/core/port/Leadership"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { WatchState } from "@bursar/core/store/WatchState"
import type { SuiteIt } from "../harness.ts"

/** The ports that the suite of the watch state uses. */
export type WatchStateSuitePorts = WatchState | Leadership | Storage | Tenants

/** The tests of the suite of the watch state. */
export type WatchStateIt = SuiteIt<WatchStateSuitePorts | Writer>
