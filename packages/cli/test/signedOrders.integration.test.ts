import { generateSigningKey, importPublicKey } from "@bursar/api/signature/Ed25519"
import { requestIdOf } from "@bursar/api/signature/requestId"
import { makeSigner } from "@bursar/api/signature/signRequest"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { readSignatureBase } from "@bursar/api/signature/verifyEvidence"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { Grant } from "@bursar/core/grant/Grant"
import type { GrantDocument, GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { waitsOf } from "@bursar/core/operation/waits"
import { signedIdempotent } from "@bursar/core/signature/signedIdempotent"
import { Prices } from "@bursar/core/port/Prices"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { layer as layerPostgres } from "@bursar/postgres"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { approvedBy, documentOn, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import * as SignedOrders from "@bursar/vault/SignedOrders"
import { workFiat } from "@bursar/worker/fiat/workFiat"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { until } from "./support/until.ts"
import { migratedDatabase, sqlOn } from "./support/world.ts"

const path = "/v1/transfers"
const theirs = "PT50000201231234567890154"
const thiefs = "DE89370400440532013000"

const submit = <A>(tenantId: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenantId, command))

const people = Effect.all([testApprover("ann", 1), testApprover("bob", 2)])

/** Appends a grant that both approvers have signed, an hour ago. */
const grant = Effect.fnUntraced(function* <K extends GrantKind>(id: TenantId, kind: K, values: GrantValues<K>) {
  const { stateOf } = yield* Grants
  const now = yield* Clock.currentTimeMillis
  const moments = { proposed_at: toIso(now - 3_600_000), expires_at: toIso(now + 3_600_000) }
  const document: GrantDocument = { ...documentOn(yield* stateOf(id), kind, values), ...moments }
  const entry = yield* approvedBy(document, yield* people)
  const number = Number(document.number)
  const one: Grant = { ...entry, recordedAt: now, number, hash: yield* grantHash(entry.document), proposalId: null }
  yield* submit(id, {
    name: "Append",
    reads: [readRecord(Grant, number)],
    decide: () => Result.succeed({ changes: [putRecord(Grant, one)], reply: undefined })
  })
})

const payee = {
  name: "Ana Silva",
  country: "PT",
  holderType: "INDIVIDUAL",
  iban: theirs,
  accountNumber: null,
  sortCode: null,
  routingNumber: null,
  bic: null,
  bankName: null,
  purpose: null
} as const

/** A partner whose key is granted, and whose policy demands signatures of transfers, with money to send. */
const partner = Effect.gen(function* () {
  const policy = { ...defaultPolicy, signaturesRequired: ["transfers"] } as const
  const { id } = yield* newTenant({ policy })
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  const signer = yield* makeSigner(privateJwk)
  const publicKey = yield* importPublicKey(publicJwk)
  yield* grant(id, "policy", policyValues({ kind: "LIVE", policy }))
  yield* grant(id, "signing_key", { api_key_id: "AAAAAAAA", keyid, public_key: publicJwk.x, state: "ACTIVE" })
  yield* submit(id, adjustFloat({ amount: of(1_000_00n, "EUR"), against: "bank", reason: "funded" }))

  /** Asks for a transfer as the partner interface does. */
  const ask = Effect.fnUntraced(function* () {
    const idempotencyKey = crypto.randomUUID()
    const asked = {
      kind: "BANK_TRANSFER",
      amount: { amount: "1.50", currency: "EUR" },
      beneficiary_name: payee.name,
      beneficiary_account: theirs
    }
    const body = Buffer.from(JSON.stringify(asked))
    const request = {
      method: "POST",
      authority: "localhost",
      path,
      idempotencyKey,
      contentType: "application/json",
      body
    }
    const fixed = { "content-type": "application/json", "idempotency-key": idempotencyKey, host: "localhost" }
    const headers: Readonly<Record<string, string>> = { ...fixed, ...(yield* signer.sign(request)) }
    const now = yield* Clock.currentTimeMillis
    const { outcome } = yield* verifyRequest(
      { method: "POST", target: path, header: (name) => headers[name], body },
      { isOurs: () => true, findKey: () => Effect.succeed(publicKey), now }
    )
    const { contentDigest, expires, nonce, signature, signatureBase } = Result.getOrThrow(outcome)
    const read = readSignatureBase(signatureBase)
    if (read === undefined) return assert.fail("no signature base")
    const command = createTransfer({
      kind: "BANK_TRANSFER",
      amount: of(150n, "EUR"),
      toCurrency: "EUR",
      payee,
      rail: null,
      quoteId: null,
      customerId: null,
      actsFor: "TENANT",
      partnerReference: null,
      provider: { name: "fake", environment: "LIVE" },
      usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt: now },
      madeBy: "AAAAAAAA",
      defaultFees: [],
      currencies: defaultCurrencies
    })
    const makes = yield* requestIdOf(id, read)
    const evidence = { keyid, signatureBase, signature, body: body.toString("base64") }
    yield* submit(
      id,
      signedIdempotent(
        { keyid, nonce, contentDigest, expiresAt: expires * 1_000, evidence, makes },
        {
          key: idempotencyKey,
          endpoint: `POST ${path}`,
          fingerprint: idempotencyKey,
          render: (operation) => ({ id: operation.id }),
          resourceId: (operation) => operation.id,
          command
        }
      )
    )
    return makes
  })
  return { id, ask }
})

/** A service over a real database that goes by grants. */
const world = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const trust = testTrust(testRoot(yield* people, 2))
  const storage = layerPostgres({ url: Redacted.make(url), applicationName: "bursar-cli-test" })
  const usd = () =>
    Effect.map(Clock.currentTimeMillis, (observedAt) => ({
      price: { units: 1n, decimals: 0 },
      source: "test",
      observedAt
    }))
  const services = layerGrants(trust).pipe(
    Layer.provideMerge(WriterLive.layer),
    Layer.provideMerge(storage),
    Layer.merge(Layer.succeed(Prices, Prices.of({ usd, rate: () => Effect.succeed(null) }))),
    Layer.merge(SignedOrders.layer({ currencies: defaultCurrencies, publicAuthorities: [] }))
  )
  return { sql: yield* sqlOn(url), services: yield* Layer.build(services) }
})

type Sql = Effect.Success<ReturnType<typeof sqlOn>>

interface Attack {
  readonly what: string
  readonly says: RegExp
  /** What a thief writes of an operation that waits to be sent; another tenant's evidence is there to be taken. */
  readonly strike: (sql: Sql, id: string, other: string) => Effect.Effect<unknown, unknown>
}

const attacks: ReadonlyArray<Attack> = [
  {
    what: "changes the receiver",
    says: /another account/u,
    strike: (sql, id) =>
      sql`update operation set details = jsonb_set(details::jsonb, '{payee,iban}', to_jsonb(${thiefs}::text))::json
        where operation_id = ${id}`
  },
  {
    what: "changes the name of the receiver",
    says: /somebody else/u,
    strike: (sql, id) =>
      sql`update operation set details = jsonb_set(details::jsonb, '{payee,name}', '"A Thief"')::json
        where operation_id = ${id}`
  },
  {
    what: "changes the amount",
    says: /another amount/u,
    strike: (sql, id) => sql`update operation set units = units * 10 where operation_id = ${id}`
  },
  {
    what: "changes the currency that the receiver gets",
    says: /another currency/u,
    strike: (sql, id) =>
      sql`update operation set details = jsonb_set(details::jsonb, '{to_currency}', '"USD"')::json
        where operation_id = ${id}`
  },
  {
    what: "changes the rail",
    says: /another rail/u,
    strike: (sql, id) =>
      sql`update operation set details = jsonb_set(details::jsonb, '{rail}', '"SWIFT"')::json where operation_id = ${id}`
  },
  {
    what: "takes the signature away",
    says: /nobody has signed it/u,
    strike: (sql, id) =>
      sql`update operation set details = (details::jsonb - 'signature')::json where operation_id = ${id}`
  },
  {
    what: "puts the signed request of another tenant in the place of its own",
    says: /no active signing key/u,
    strike: (sql, id, other) =>
      sql`update operation set details = jsonb_set(details::jsonb, '{signature}',
          (select details::jsonb -> 'signature' from operation where operation_id = ${other}))::json
        where operation_id = ${id}`
  }
]

const settling = () => makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }), "fake", "LIVE")

const stored = (tenantId: TenantId, id: string) =>
  Effect.flatMap(Queries, (queries) =>
    Effect.map(queries.operation(tenantId, id), (found) => found ?? assert.fail("it is gone"))
  )

describe("no bank is asked, an alarm is raised and the others are paid when somebody with the database", () => {
  for (const { says, strike, what } of attacks)
    it.live(what, () =>
      Effect.gen(function* () {
        const { services, sql } = yield* world
        yield* Effect.gen(function* () {
          const victim = yield* partner
          const other = yield* partner
          const goesOn = yield* other.ask()
          const id = yield* victim.ask()
          yield* strike(sql, id, goesOn)
          const fiat = settling()
          yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] }))
          const held = yield* until("it is held", stored(victim.id, id), (one) => waitsOf(one) !== null)
          assert.strictEqual(waitsOf(held)?.reason, "not_granted")
          assert.match(waitsOf(held)?.detail ?? "", says)
          yield* until("the other is settled", stored(other.id, goesOn), ({ status }) => status === "SETTLED")
          assert.isFalse(fiat.orders.has(id))
          assert.strictEqual(fiat.orders.get(goesOn)?.payee?.iban, theirs)
        }).pipe(Effect.provide(services))
      }).pipe(Effect.scoped)
    )

  it.live("copies a signed request that was paid into a second transfer", () =>
    Effect.gen(function* () {
      const { services, sql } = yield* world
      yield* Effect.gen(function* () {
        const victim = yield* partner
        const id = yield* victim.ask()
        const fiat = settling()
        yield* Effect.forkScoped(workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] }))
        yield* until("it is paid", stored(victim.id, id), ({ status }) => status === "SETTLED")
        const copy = crypto.randomUUID()
        const columns = (yield* sql<{ readonly name: string }>`select column_name as name
          from information_schema.columns where table_schema = 'public' and table_name = 'operation'
          and is_generated = 'NEVER' order by ordinal_position`).map(({ name }) => name)
        const values = columns.map((name) =>
          name === "operation_id"
            ? `'${copy}'::uuid`
            : name === "status"
              ? "'ACCEPTED'"
              : name === "details"
                ? "(details::jsonb - 'sent_at')::json"
                : name === "settled_at" || name === "provider_reference"
                  ? "null"
                  : name
        )
        yield* sql.unsafe(
          `insert into operation (${columns.join(", ")}) select ${values.join(", ")} from operation where operation_id = '${id}'`
        )
        yield* sql`insert into job (tenant_id, queue, key, due_at)
          values (${victim.id}, 'transfer', ${copy}, now())`
        const held = yield* until("it is held", stored(victim.id, copy), (one) => waitsOf(one) !== null)
        assert.match(waitsOf(held)?.detail ?? "", /for another operation/u)
        assert.deepStrictEqual([...fiat.ordered], [[id, 1]])
      }).pipe(Effect.provide(services))
    }).pipe(Effect.scoped)
  )
})
