import type { Change } from "@bursar/core/engine/Change"
import type { Storage } from "@bursar/core/engine/Storage"
import type { View } from "@bursar/core/engine/View"
import { Writer } from "@bursar/core/engine/Writer"
import type { AssetAccount } from "@bursar/core/ledger/Account"
import { placeReads } from "@bursar/core/ledger/coverShortfall"
import { Operation } from "@bursar/core/operation/Operation"
import { putRecord } from "@bursar/core/engine/Records"
import type { Leadership } from "@bursar/core/port/Leadership"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { Positions } from "@bursar/core/reconciliation/Positions"
import type { WatchState } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { bareOperation } from "../../fixtures/records.ts"
import type { SuiteIt } from "../harness.ts"

/** The ports that the suite of the positions uses. */
export type PositionsSuitePorts = Leadership | Positions | Storage | Tenants | WatchState

/** The tests of the suite of the positions. */
export type PositionsIt = SuiteIt<PositionsSuitePorts | Writer>

/** A network that no other test uses: a store may be shared. */
export const newNetwork = (): string => `net-${crypto.randomUUID().slice(0, 8)}`

/** Writes records and the like for a tenant. */
export const write = <C extends Change>(tenantId: TenantId, changes: (view: View) => ReadonlyArray<C>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenantId, writing(changes)))

/** Books what has left a place already, whether the books have it there or not. */
export const take = (tenantId: TenantId, account: AssetAccount, units: bigint, currency = "ETH") =>
  Effect.flatMap(Writer, (writer) =>
    writer.submit(
      tenantId,
      writing(
        (view) => {
          const operation = bareOperation(view, { status: "SETTLED", settledAt: view.now })
          const leg = { currency, units, what: "network_fee" } as const
          return [
            putRecord(Operation, operation),
            {
              _tag: "Posted",
              operationId: operation.id,
              happened: true,
              legs: [
                { ...leg, account: "network_fees", direction: "DEBIT" },
                { ...leg, account, direction: "CREDIT" }
              ]
            }
          ]
        },
        [...placeReads(account, currency), { _tag: "Balance", account: "network_fees", currency }]
      )
    )
  )
