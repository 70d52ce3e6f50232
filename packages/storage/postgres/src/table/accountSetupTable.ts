import { recordKinds } from "@bursar/core/engine/Records"
import { networks } from "@bursar/core/money/Network"
import { type AccountSetup, setupRoles } from "@bursar/core/outbound/AccountSetup"
import * as Cell from "../internal/cells.ts"
import { bool, int8, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** How far the service's accounts are set up, on networks where that is needed. */
export const accountSetupTable: RecordTable<AccountSetup> = {
  name: "account_setup",
  key: ["account_setup_key"],
  keyType: text,
  columns: [
    column("account_setup_key", text, recordKinds.AccountSetup.key),
    column(groupColumn, text, recordKinds.AccountSetup.group),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("role", text, ({ role }) => role),
    column("ready", bool, ({ ready }) => ready),
    column("spend_id", uuid, ({ spendId }) => spendId),
    bigintColumn("failures", int8, ({ failures }) => failures),
    column("problem", text, ({ problem }) => problem),
    column("since", timestamptz, ({ since }) => since),
    column("looked_at", timestamptz, ({ lookedAt }) => lookedAt)
  ],
  read: (row) => ({
    network: Cell.oneOf(networks, row.network),
    address: Cell.text(row.address),
    role: Cell.oneOf(setupRoles, row.role),
    ready: Cell.flag(row.ready),
    spendId: Cell.textOrNull(row.spend_id),
    failures: Cell.int(row.failures),
    problem: Cell.textOrNull(row.problem),
    since: Cell.at(row.since),
    lookedAt: Cell.at(row.looked_at)
  })
}
