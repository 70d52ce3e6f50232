import { checkTenant } from "@bursar/core/checker/checkTenant"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { layerOver } from "@bursar/memory"
import { Effect } from "effect"
import type { World } from "../world/World.ts"
import { judgeNames, judgeOrders } from "./judgeBank.ts"
import { judgeCustodyOrders } from "./judgeCustody.ts"
import { judgeMoney } from "./judgeMoney.ts"
import { judgePrices, judgeQuotes } from "./judgeQuotes.ts"
import { judgeReconciliation } from "./judgeReconciliation.ts"
import { judgeRequests } from "./judgeRequests.ts"
import { judgeTrust } from "./judgeTrust.ts"
import { judgeConsent, judgeEvents, judgeLimits } from "./judgeRules.ts"
import type { Told } from "./Told.ts"

const named = (judge: string, violations: ReadonlyArray<string>): ReadonlyArray<string> =>
  violations.map((violation) => `${judge}: ${violation}`)

/** Whether an address was granted as a destination of a partner for a currency. */
const isDestination =
  ({ records: { destined } }: World) =>
  ({ index }: { readonly index: number }, address: string, currency: string): boolean =>
    destined.some(
      (one) => "address" in one && one.tenant === index && one.address === address && one.currency === currency
    )

/** What the service's own checker finds in the books of a tenant, wherever they are stored. */
export const judgeBooks = Effect.fnUntraced(function* ({ currencies }: World, tenantId: TenantId) {
  const { snapshot } = yield* LedgerSnapshot
  const found = yield* Effect.orDie(snapshot(tenantId, (ledger) => checkTenant(ledger, { currencies })))
  return found.flatMap(({ firstWrong, invariant }) => (firstWrong === null ? [] : [`${invariant}: ${firstWrong}`]))
})

/** Judges a world whose end has come by what is known of it from outside of the service. */
export const judge = Effect.fnUntraced(function* (world: World, told: ReadonlyArray<Told>) {
  const requests = told.map((one) => judgeRequests(world, one))
  const carried = requests.map((one) => one.carried)
  const books = yield* Effect.forEach(told, ({ partner }) => judgeBooks(world, partner.id)).pipe(
    Effect.provide(layerOver(world.state))
  )
  const places = yield* judgeReconciliation(world)
  return [
    ...named(
      "requests",
      requests.flatMap(({ violations }) => violations)
    ),
    ...named(
      "depth",
      world.records.early.map((txHash) => `the deposit of ${txHash} was confirmed before it was deep enough`)
    ),
    ...named(
      "fences",
      world.records.deposed.map((what) => `${what} was committed after another process had taken over`)
    ),
    ...named("defects", [...world.records.defects]),
    ...named("money", judgeMoney(world, told, carried)),
    ...named("quotes", [...judgePrices(world), ...carried.flatMap((own) => judgeQuotes(world, own))]),
    ...named("consent", [
      ...judgeOrders(world, carried),
      ...judgeCustodyOrders(
        world,
        told.map(({ partner }, index) => ({ partner, carried: carried[index] ?? [] })),
        isDestination(world)
      ),
      ...carried.flatMap((own) => judgeNames(world, own))
    ]),
    ...named(
      "limits",
      carried.flatMap((own) => judgeLimits(world, own))
    ),
    ...named(
      "consent",
      told.flatMap((one) => judgeConsent(world, one))
    ),
    ...named(
      "events",
      told.flatMap((one, index) => judgeEvents(world, one, carried[index] ?? []))
    ),
    ...named("trust", judgeTrust(world, told)),
    ...named("checker", books.flat()),
    ...named("reconciliation", places)
  ]
})
