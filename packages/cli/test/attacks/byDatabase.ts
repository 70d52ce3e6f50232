import { Effect } from "effect"
import { freshAddress } from "../support/payer.ts"
import { signingPair } from "../support/signedPayouts.ts"
import { partnerOn } from "../support/tenant.ts"
import { until } from "../support/until.ts"
import { type Attack, stole } from "./Attack.ts"
import { type Attacked, price } from "./AttackedService.ts"

/** A payout that a partner has asked for, written while the worker sleeps, changed, and then left to the worker. */
const changedPayout = (
  attacked: Attacked,
  change: (operation: string, thief: string) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const { alarm, victim, worker } = attacked
    const [honest, thief] = [freshAddress(), freshAddress()]
    const signed = yield* Effect.provide(victim.ask(honest), attacked.ports)
    const { id } = yield* worker.whileFrozen(
      Effect.tap(victim.book(signed), (operation) => change(operation.id, thief))
    )
    const line = yield* alarm("signer", "signing.refused", `nobody asked to pay .*(${thief}|15000000 )`)
    yield* stole(attacked, [thief, honest])
    // who has the database keeps it in the queue; it is taken out so that it is not tried for ever
    yield* attacked.sql`delete from job where key like ${`%${id}%`}`
    return line
  })

const forged: Attack = {
  title: "registers a key of its own in the database, and signs a payout to itself with it",
  prepare: (attacked) =>
    Effect.succeed(
      Effect.gen(function* () {
        const { alarm, ports, victim } = attacked
        const thief = freshAddress()
        const own = yield* Effect.provide(signingPair({ ...victim, network: "ethereum" }), ports)
        yield* Effect.provide(own.pay(price.currency, price.amount, thief), ports)
        const line = yield* alarm("signer", "signing.refused", own.keyid)
        yield* stole(attacked, [thief])
        return line
      })
    )
}

const copied: Attack = {
  title: "copies the signed request of a payout that was paid into a second payout",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, holdsDollars, ports, untilPaid, victim } = attacked
      const to = freshAddress()
      const signed = yield* Effect.provide(victim.ask(to), ports)
      yield* untilPaid(yield* victim.book(signed), to)
      return Effect.gen(function* () {
        yield* victim.book(signed)
        const line = yield* alarm("signer", "signing.refused", "a request of it was signed for in 0x")
        const held = yield* holdsDollars(to)
        return held === price.units ? line : yield* Effect.die(new Error(`it was paid twice: ${held}`))
      })
    })
}

const redirected: Attack = {
  title: "changes the receiver of a payout that a partner has asked for",
  prepare: (attacked) =>
    Effect.succeed(
      changedPayout(
        attacked,
        (id, thief) => attacked.sql`update payout set paid_to = ${thief} where operation_id = ${id}`
      )
    )
}

const raised: Attack = {
  title: "changes the amount of a payout that a partner has asked for",
  prepare: (attacked) =>
    Effect.succeed(
      changedPayout(attacked, (id) => attacked.sql`update payout set units = units * 10 where operation_id = ${id}`)
    )
}

const scopes = JSON.stringify(["chain_payouts:write", "deposits:read", "events:read"])

const changedKey: Attack = {
  title: "gives an API key that it has more scopes",
  prepare: ({ alarm, operator, partnerUrl, sql, victim }) =>
    Effect.gen(function* () {
      const params = { tenant_id: victim.id }
      const { id, key } = yield* operator.keys.create({ params, payload: { label: "x", scopes: ["deposits:read"] } })
      const { introspection } = yield* partnerOn(partnerUrl, key)
      const letIn = Effect.map(Effect.exit(introspection.whoami()), ({ _tag }) => _tag === "Success")
      yield* until("the key is let in", letIn, (is) => is)
      return Effect.gen(function* () {
        yield* sql`update api_key set scopes = ${scopes}::json where key_id = ${id}`
        yield* until("the key opens nothing", letIn, (is) => !is)
        return yield* alarm("server", "api_key.distrusted", "altered")
      })
    })
}

const shownAddress: Attack = {
  title: "changes the deposit address that a partner is shown",
  prepare: ({ alarm, grant, operator, partnerUrl, sql, victim }) =>
    Effect.gen(function* () {
      const params = { tenant_id: victim.id }
      const { account_key, family, seed_id } = yield* operator.addresses.prepareIssuing({
        params,
        payload: { network: "ethereum" }
      })
      yield* grant(victim.id, "issuing_account", { family, seed_id, account_key, state: "ACTIVE" })
      const scopes = ["deposits:issue", "deposits:read"] as const
      const { key } = yield* operator.keys.create({ params, payload: { label: "shown", scopes } })
      const { depositAddresses, introspection } = yield* partnerOn(partnerUrl, key)
      const letIn = Effect.map(Effect.exit(introspection.whoami()), ({ _tag }) => _tag === "Success")
      yield* until("the key is let in", letIn, (is) => is)
      const thief = freshAddress()
      const headers = { "idempotency-key": thief }
      const payload = { network: "ethereum", reference: "customer-1", count: 1 } as const
      const issue = depositAddresses.issue({ headers, payload })
      const [issued] = (yield* issue).addresses
      if (issued === undefined) return yield* Effect.die(new Error("nothing was issued"))
      const { address, id } = issued
      const list = depositAddresses.list({ query: {} })
      return Effect.gen(function* () {
        yield* sql`update address set address = ${thief} where address_id = ${id}`
        yield* sql`update idempotency_record set outcome = replace(outcome::text, ${address}, ${thief})::json
          where key = ${thief}`
        const answers = [yield* Effect.exit(list), yield* Effect.exit(issue)]
        if (answers.some(({ _tag }) => _tag === "Success")) return yield* Effect.die(new Error("the address was shown"))
        const line = yield* alarm("server", "address.forged", thief)
        yield* sql`update address set address = ${address} where address_id = ${id}`
        yield* list
        return line
      })
    })
}

/** Everything that is stored of a tenant, laid aside in a schema, and put back over what is there. */
const copyOf = ({ sql, victim }: Attacked, schema: string) => {
  const each = (statement: (table: string) => string) =>
    Effect.flatMap(
      sql<{ readonly name: string }>`select c.table_name as name from information_schema.columns c
        join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
        where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'`,
      (tables) => Effect.forEach(tables, ({ name }) => sql.unsafe(statement(name)), { discard: true })
    )
  const its = `tenant_id = '${victim.id}'`
  return {
    take: sql.withTransaction(
      Effect.andThen(
        sql.unsafe(`create schema ${schema}`),
        each((name) => `create table ${schema}.${name} as select * from public.${name} where ${its}`)
      )
    ),
    // without triggers and foreign keys: this is somebody who owns the database
    putBack: sql.withTransaction(
      sql
        .unsafe("set local session_replication_role = replica")
        .pipe(
          Effect.andThen(each((name) => `delete from public.${name} where ${its}`)),
          Effect.andThen(
            each((name) => `insert into public.${name} overriding system value select * from ${schema}.${name}`)
          )
        )
    )
  }
}

const rolledBack: Attack = {
  title: "puts the records of a tenant back to a moment before its payouts were paid",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, ports, signer, untilPaid, victim, worker } = attacked
      const to = freshAddress()
      const before = copyOf(attacked, "before")
      const signed = yield* Effect.provide(victim.ask(to), ports)
      const operation = yield* worker.whileFrozen(Effect.tap(victim.book(signed), () => before.take))
      yield* untilPaid(operation, to)
      yield* victim.payHonestly
      const newest = copyOf(attacked, "newest")
      return Effect.gen(function* () {
        yield* worker.whileFrozen(Effect.andThen(newest.take, before.putBack))
        const line = yield* alarm("signer", "signer.stopped", "the database was rolled back")
        // what the operator does then: the newest state comes back, and the signer starts anew
        yield* worker.whileFrozen(newest.putBack)
        yield* signer.restart
        return line
      })
    })
}

/** Whoever can write everything in the database. */
export const byDatabase = {
  attacker: "whoever writes to the database",
  attacks: [forged, copied, redirected, raised, changedKey, shownAddress, rolledBack]
}
