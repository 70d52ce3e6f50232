import { addApiKey } from "@bursar/core/access/tenantCommands"
import { makeKey } from "@bursar/server/keys/makeKey"
import { Effect, Redacted } from "effect"
import { freshAddress } from "../support/payer.ts"
import { signingPair } from "../support/signedPayouts.ts"
import { soon, until } from "../support/until.ts"
import { callOf, expectAnswer, send } from "../support/calls.ts"
import { type Attack, type Attacker, stole } from "./Attack.ts"
import type { Attacked } from "./AttackedService.ts"
import { whileHeld } from "./heldPayout.ts"

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
    const line = yield* alarm("worker", "payout.deferred", id, "not what its operation says")
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
        const { alarm, openKey, ports, price, victim } = attacked
        const thief = freshAddress()
        const { id: apiKeyId } = yield* openKey(victim.id)
        const own = yield* Effect.provide(signingPair({ id: victim.id, apiKeyId, network: "ethereum" }), ports)
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
      const { alarm, holdsDollars, ports, price, untilPaid, victim } = attacked
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

const released: Attack = {
  title: "writes that people have approved a payout that waits for them, and that it is worth a cent",
  prepare: (attacked) =>
    Effect.succeed(
      whileHeld(attacked, ({ payout: { details, id }, to }) =>
        Effect.gen(function* () {
          const { alarm, queries, sql, victim } = attacked
          const review = { state: "APPROVED", by: "grant:7", at: 4_000_000_000_000 }
          const written = JSON.stringify({ ...details, review, usd_cents: "1" })
          yield* sql`update operation set status = 'ACCEPTED', details = ${written}::text::json where operation_id = ${id}`
          yield* sql`insert into job (tenant_id, queue, key, due_at) values (${victim.id}, 'payout:ethereum', ${id}, now())`
          const line = yield* alarm("worker", "review.not_granted", id)
          yield* soon("it is held again", queries.operation(victim.id, id), (one) => one?.status === "IN_REVIEW")
          yield* stole(attacked, [to])
          return line
        })
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
  prepare: ({ alarm, openKey, partnerUrl, sql, victim }) =>
    Effect.gen(function* () {
      const { id, key } = yield* openKey(victim.id, ["deposits:read"])
      const whoami = callOf(`${partnerUrl}/v1/whoami`, { bearer: key })
      yield* expectAnswer(whoami, 200)
      return Effect.gen(function* () {
        yield* sql`update api_key set scopes = ${scopes}::json where key_id = ${id}`
        yield* until("the key opens nothing", send(whoami), ({ code }) => code === "key_invalid")
        return yield* alarm("server", "api_key.distrusted", "altered")
      })
    })
}

const ownKey: Attack = {
  title: "makes an API key of its own in the database, sealed with the pepper of the server",
  prepare: ({ alarm, env, partnerUrl, submit, victim }) =>
    Effect.succeed(
      Effect.gen(function* () {
        const { record, secret } = yield* makeKey({
          prefix: "service",
          tenant: { id: victim.id, kind: "SANDBOX" },
          label: "mine",
          scopes: ["chain_payouts:write"],
          pepper: Redacted.make(env.KEY_PEPPER)
        })
        yield* submit(victim.id, addApiKey(record))
        const whoami = callOf(`${partnerUrl}/v1/whoami`, { bearer: Redacted.value(secret) })
        yield* expectAnswer(whoami, 401, "key_invalid")
        return yield* alarm("server", "api_key.distrusted", "ungranted")
      })
    )
}

/** An address that a partner was issued, and the calls that show it. */
export const issuedAddress = Effect.fnUntraced(function* ({ grant, operator, sql, victim }: Attacked) {
  const { id } = victim
  const asked = { params: { tenant_id: id }, payload: { network: "ethereum" } }
  const { account_key, family, granted, seed_id } = yield* operator.addresses.prepareIssuing(asked)
  if (granted !== true) yield* grant(id, "issuing_account", { family, seed_id, account_key, state: "ACTIVE" })
  const issue = victim.call("/v1/deposit-addresses/issue", { network: "ethereum", reference: "customer-1", count: 1 })
  const { body } = yield* expectAnswer(issue, 200)
  const { address, id: addressId }: { readonly address: string; readonly id: string } = body.addresses[0]
  return {
    address,
    addressId,
    calls: [victim.call("/v1/deposit-addresses"), issue],
    /** Puts back what was changed. */
    restore: sql`update address set address = ${address} where address_id = ${addressId}`
  }
})

const shownAddress: Attack = {
  title: "changes the deposit address that a partner is shown",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, sql } = attacked
      const { address, addressId, calls, restore } = yield* issuedAddress(attacked)
      const thief = freshAddress()
      return Effect.gen(function* () {
        yield* sql`update address set address = ${thief} where address_id = ${addressId}`
        yield* sql`update idempotency_record set outcome = replace(outcome::text, ${address}, ${thief})::json
          where key = ${calls[1]?.headers["idempotency-key"] ?? ""}`
        for (const call of calls) yield* expectAnswer(call, 503, "provider_unavailable")
        const said = yield* alarm("server", "address.forged", thief)
        yield* restore
        for (const call of calls.slice(0, 1)) yield* expectAnswer(call, 200)
        return said
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
        // what the operator does then: the newest state comes back, and the signer starts anew with a word that it did
        yield* worker.whileFrozen(newest.putBack)
        yield* signer.restartGivingUp(1)
        return line
      })
    })
}

/** Whoever can write everything in the database. */
export const byDatabase: Attacker = {
  attacker: "whoever writes to the database",
  writes: true,
  attacks: [forged, copied, redirected, raised, released, changedKey, ownKey, shownAddress, rolledBack]
}
