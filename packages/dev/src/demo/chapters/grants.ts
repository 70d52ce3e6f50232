import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import { examine, verifiedChain, verifierOver } from "@bursar/cli/commands/grantChain"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { ask } from "../ask.ts"
import { externalWalletOn } from "../externalWallets.ts"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"
import type { World } from "../World.ts"

const isRefusal = Schema.is(ErrorBody)

const failed = (error: unknown): SceneFailed =>
  error instanceof SceneFailed
    ? error
    : new SceneFailed({ message: isRefusal(error) ? error.error.message : String(error) })

/** What must be refused, with the refusal's own words. */
const refused = <A, E>(what: string, effect: Effect.Effect<A, E>): Effect.Effect<ErrorBody["error"], SceneFailed> =>
  Effect.matchEffect(effect, {
    onSuccess: () => Effect.fail(new SceneFailed({ message: `${what} was not refused` })),
    onFailure: (error) => (isRefusal(error) ? Effect.succeed(error.error) : Effect.fail(failed(error)))
  })

const Asked = Schema.Struct({ kind: Schema.String, values: Schema.Record(Schema.String, Schema.Json) })

const limitOf = ({ operator, tenant }: World) =>
  Effect.map(operator.tenants.get({ params: { tenant_id: tenant.id } }), ({ settings }) => settings.payout_limit_usd)

/** An approver looks at a proposal with the own eyes, from the root, and signs what that shows. */
const approveAs = Effect.fnUntraced(function* (
  { approvers, operator, tenant, trust }: World,
  proposalId: string,
  person: number
) {
  const params = { chain: tenant.id, proposal_id: proposalId }
  const proposal = yield* operator.grants.show({ params })
  const chain = yield* verifiedChain(yield* verifierOver(operator, trust), tenant.id)
  const { changes, hash } = yield* examine(chain, proposal)
  const { id: name = "nobody", key } = approvers[person] ?? {}
  if (key === undefined) return yield* new SceneFailed({ message: "there are too few approvers" })
  const approve = operator.grants.approve({ params, payload: { approval: key.approve(hash) } })
  return { approve, changes: changes.map(({ from, path, to }) => `${path}: ${from} → ${to}`).join(", "), name }
})

const higherLimit: Scene = {
  name: "a higher limit",
  play: (world, reached) =>
    Effect.gen(function* () {
      const { operator, tenant } = world
      const before = yield* limitOf(world)
      const change = operator.tenants.changeSettings({
        params: { tenant_id: tenant.id },
        payload: { payout_limit_usd: String(Number(before) + 1_000) }
      })
      const { code, detail } = yield* refused("an operator alone", change)
      yield* reached(`one operator alone: ${code}`)
      const asked = yield* Schema.decodeUnknownEffect(Asked)(detail)
      const { id } = yield* operator.grants.propose({ params: { chain: tenant.id }, payload: asked })
      const first = yield* approveAs(world, id, 0)
      yield* reached(`proposed: ${first.changes}`)
      yield* first.approve
      const unchanged = yield* limitOf(world)
      if (unchanged !== before)
        return yield* new SceneFailed({ message: `one approval has changed it to ${unchanged}` })
      yield* refused("a second approval of the same person", first.approve)
      yield* reached(`${first.name} signed: 1 of 2, and not twice`)
      const second = yield* approveAs(world, id, 1)
      const { state } = yield* second.approve
      if (state !== "GRANTED") return yield* new SceneFailed({ message: `the proposal is ${state}` })
      return `${first.changes}: refused to an operator and to ${first.name} alone, granted by ${first.name} and ${second.name}`
    }).pipe(Effect.mapError(failed))
}

const stolen = "ETH_BASE"

/** The database as somebody has it who has stolen its password. */
const database = ({ handshake }: World) =>
  Effect.provide(PgClient.make({ url: Redacted.make(handshake.database_url), maxConnections: 1 }), Reactivity.layer)

const thief: Scene = {
  name: "a thief in the database",
  play: (world, reached) =>
    Effect.gen(function* () {
      const { client, run, tenant } = world
      const sql = yield* database(world)
      const redirect = (address: string) =>
        sql`update destination set address = ${address} where tenant_id = ${tenant.id} and currency = ${stolen}`
      const [row] = yield* sql<{ readonly address: string }>`select address from destination
        where tenant_id = ${tenant.id} and currency = ${stolen}`
      if (row === undefined) return yield* new SceneFailed({ message: `there is no destination for ${stolen}` })
      const own = externalWalletOn("base")
      yield* redirect(own)
      yield* reached(`the row of the treasury says ${own.slice(0, 10)}… now`)
      const withdraw = ask("client.withdrawals.create", (signal) =>
        client.withdrawals.create(
          { amount: { amount: "0.5", currency: stolen }, partner_reference: `stolen-${run}` },
          { signal }
        )
      )
      const words = yield* Effect.flip(withdraw).pipe(
        Effect.mapError(() => new SceneFailed({ message: "the withdrawal was taken" })),
        Effect.ensuring(Effect.ignore(redirect(row.address)))
      )
      if (!words.message.includes("product_not_enabled")) return yield* words
      return "he redirects a withdrawal to himself: refused, nothing left, and operators get an alarm"
    }).pipe(Effect.scoped, Effect.mapError(failed))
}

/** What several people must agree on, and what the database alone cannot change. */
export const grants: Chapter = {
  title: "Grants",
  words:
    "What raises a risk is proposed, and two approvers sign what it changes with keys of their own. Before anything leaves,\n" +
    "their signatures are verified: a row of the database that says otherwise counts for nothing.",
  scenes: [higherLimit, thief]
}
