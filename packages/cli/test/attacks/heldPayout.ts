import { Tenants } from "@bursar/core/port/Tenants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import type { Operation } from "@bursar/core/operation/Operation"
import { Clock, Context, Effect } from "effect"
import { freshAddress } from "../support/payer.ts"
import type { Attacked } from "./AttackedService.ts"

/**
 * Has people look at what a victim pays from a dollar on, and a payout of the victim wait for them, while something is tried. Afterwards the payout is
 * rejected, and nobody looks any more.
 */
export const whileHeld = <A, E, R>(
  attacked: Attacked,
  use: (held: { readonly payout: Operation; readonly to: `0x${string}` }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { grant, operator, ports, price, victim } = attacked
    const tenant = yield* Context.get(ports, Tenants).byId(victim.id)
    if (tenant === undefined) return yield* Effect.die(new Error("there is no such tenant"))
    const policy = policyValues(tenant)
    yield* grant(victim.id, "policy", { ...policy, payout_review_usd: "1" })
    const to = freshAddress()
    const signed = yield* Effect.provide(victim.ask(to), ports)
    const observedAt = yield* Clock.currentTimeMillis
    const usd = { price: { units: 1n, decimals: 0 }, source: "test", observedAt }
    const payout = yield* Effect.provide(victim.bookIn(signed, usd), ports)
    if (payout.status !== "IN_REVIEW") return yield* Effect.die(new Error(`${price.amount} is not held`))
    const result = yield* use({ payout, to })
    yield* operator.reviews.reject({
      params: { tenant_id: victim.id, operation_id: payout.id },
      payload: { reason: "It was attacked." }
    })
    yield* grant(victim.id, "policy", policy)
    return result
  })
