import type { Deliveries } from "@bursar/core/port/Deliveries"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { SuiteIt } from "../harness.ts"

/** The ports that the suite of the deliveries uses. */
export type DeliveriesSuitePorts = Deliveries | Storage | Tenants

/** The tests of the suite of the deliveries. */
export type DeliveriesIt = SuiteIt<DeliveriesSuitePorts>
