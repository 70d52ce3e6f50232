import type { Writer } from "@bursar/core/engine/Writer"
import type { Queries } from "@bursar/core/store/Queries"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { SuiteIt } from "../harness.ts"

/** The ports that the suite of the queries uses. */
export type QueriesSuitePorts = Queries | Storage | Tenants

/** The tests of the suite of the queries. */
export type QueriesIt = SuiteIt<QueriesSuitePorts | Writer>
