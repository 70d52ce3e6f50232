import { checkTenant } from "@bursar/core/checker/checkTenant"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { Proof } from "@bursar/core/port/ChainSender"
import { type ConversionState, Custodian, type WithdrawalState } from "@bursar/core/port/Custodian"
import { FiatProvider, type TransferState } from "@bursar/core/port/FiatProvider"
import { makeNetworks } from "@bursar/core/port/Networks"
import { Prices } from "@bursar/core/port/Prices"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { layerOver, type State } from "@bursar/memory"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { workCustody } from "@bursar/worker/custody/workCustody"
import { workFiat } from "@bursar/worker/fiat/workFiat"
import { assert } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Operator } from "./Operator.ts"
import { type Answer, portsOver, settings } from "./Partner.ts"
import { enabled, testNetwork } from "./TestPorts.ts"
import { hashToken } from "../../src/keys/operatorTokens.ts"

/** What the providers say of our orders when they are asked, by our references. Of the others they say nothing. */
export interface Silence {
  readonly says: Map<string, ProviderResult<ConversionState | TransferState | WithdrawalState>>
  proof: Proof
  /** The addresses of parts of accounts, by the account and the memo (`account|memo`) that name them. */
  readonly parts: Map<string, string>
  /** Whether orders are carried to the providers at all. */
  readonly working: boolean
}

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = [
  { name: "vera", role: "viewer" as const, tokenHash: hashToken(tokenOf("vera")), expiresAt: null },
  { name: "otto", role: "operator" as const, tokenHash: hashToken(tokenOf("otto")), expiresAt: null },
  { name: "anna", role: "approver" as const, tokenHash: hashToken(tokenOf("anna")), expiresAt: null },
  { name: "ben", role: "approver" as const, tokenHash: hashToken(tokenOf("ben")), expiresAt: null }
]

const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: () =>
      Effect.map(Clock.currentTimeMillis, (observedAt) => ({
        price: { units: 1n, decimals: 0 },
        source: "test",
        observedAt
      })),
    rate: () =>
      Effect.map(Clock.currentTimeMillis, (observedAt) => ({
        price: { units: 5n, decimals: 4 },
        source: "test",
        observedAt
      }))
  })
)

const limits = { idleMs: 20, itemsMax: 100, concurrency: 4 }

const portsOf = (silence: Silence) => (state: State) => {
  // what they say of an order is the same for every kind; a test says of each what fits it
  const answer = (reference: string) => Effect.sync(() => silence.says.get(reference) ?? unknown("503"))
  const asked = <A>({ reference }: { readonly reference: string }) =>
    answer(reference) as Effect.Effect<ProviderResult<A>> // see above
  const fake = makeFakeCustodian(
    () => ({ order: "lost", unreadable: 0, pending: 0, end: "settled" }),
    [{ from: "USDC_BASE", to: "ETH", minimum: null, step: null }]
  )
  const custodian = Layer.effect(
    Custodian,
    Effect.map(Custodian, (one) =>
      Custodian.of({ ...one, conversion: asked<ConversionState>, withdrawal: asked<WithdrawalState> })
    )
  ).pipe(Layer.provide(fake.layer))
  const fiat = FiatProvider.of({
    ...makeFakeFiat(() => ({ order: "lost", unreadable: 0, course: [] })).provider,
    transfer: asked<TransferState>
  })
  const sender = { ...makeFakeSender({ network: "base" }).sender, prove: () => Effect.sync(() => silence.proof) }
  const partOf = (account: string, memo: string) => silence.parts.get(`${account}|${memo}`)
  const networks = enabled.map((network) => testNetwork(network, network === "base" ? { sender, partOf } : {}))
  const providers = Layer.mergeAll(custodian, Layer.succeed(FiatProvider, fiat), prices, layerFakeNetworks(networks))
  const { currencies } = settings
  const workers = silence.working
    ? Layer.effectDiscard(
        Effect.andThen(
          Effect.forkScoped(
            Effect.flatMap(Custodian, (one) =>
              workCustody({ currencies, custodians: [one], networks: makeNetworks(networks), limits })
            )
          ),
          Effect.forkScoped(workFiat({ currencies, fiats: [fiat], identities: [], limits }))
        )
      )
    : Layer.empty
  return workers.pipe(Layer.provideMerge(providers), Layer.provideMerge(portsOver(state)))
}

/** Both servers over one memory, with workers and with providers that take every order and say nothing of it. */
export const silentServers = (silence: Silence) => Operator.layerWith({ operators }, portsOf(silence))

const destination = {
  currency: "USDC_BASE",
  network: "base",
  address: `0x${"aa".repeat(20)}`,
  memo: null,
  label: "Treasury",
  by: "ann"
} as const

const euro = (amount: string) => ({ amount, currency: "EUR" })
const dollars = (amount: string) => ({ amount, currency: "USDC_BASE" })
const ana = { beneficiary_name: "Ana Silva", beneficiary_account: "PT50 0002 0123 1234 5678 9015 4" }

/** How each kind is asked for. */
const orders = {
  WITHDRAWAL: ["/v1/withdrawals", { amount: dollars("100") }],
  SWAP: ["/v1/swaps", { amount: dollars("100"), to_currency: "ETH" }],
  BANK_TRANSFER: ["/v1/transfers", { ...ana, kind: "BANK_TRANSFER", amount: euro("100") }],
  ON_RAMP: ["/v1/transfers", { ...ana, kind: "ON_RAMP", amount: euro("100") }]
} as const

/** A kind that these tests order. */
export type Ordered = keyof typeof orders

/** Every kind that these tests order. */
export const ordered = Object.keys(orders) as ReadonlyArray<Ordered> // its keys are the kinds

/** A tenant with 1,000 USDC at the custodian, 1,000 EUR at the bank, a verified destination and a fee of one percent. */
export const startSilentProviders = Effect.gen(function* () {
  const { ask, seeder, operate, state } = yield* Operator
  const tenant = yield* seeder.tenant({ policy: { destinationCoolingHours: 0, withdrawalLimitUsd: "10000" } })
  const key = yield* seeder.key(tenant)
  const fund = (units: bigint, currency: string, against: "bank" | "custodian") =>
    seeder.submit(tenant, adjustFloat({ amount: of(units, currency), against, reason: "t" }))
  yield* fund(1_000_000_000n, "USDC_BASE", "custodian")
  yield* fund(100_000n, "EUR", "bank")
  const zero = { units: 0n, decimals: 0 }
  yield* seeder.submit(
    tenant,
    addFeeRule({
      product: null,
      currency: null,
      rail: null,
      percent: { units: 1n, decimals: 0 },
      minimumFee: zero,
      priority: 1,
      effectiveFrom: null
    })
  )
  const proposed = yield* seeder.submit(tenant, proposeDestination(destination))
  yield* seeder.submit(tenant, verifyDestination(proposed.id, "bob"))

  let made = 0
  const root = `/operator/v1/tenants/${tenant}`
  const as = (name: string, method: string, path: string, body?: unknown) =>
    operate(method, path.startsWith("/operator") ? path : `${root}${path}`, {
      key: tokenOf(name),
      ...(body === undefined ? {} : { body })
    })
  /** The operation as operators see it. */
  const shown = (id: string) => Effect.map(as("vera", "GET", `/operations/${id}`), ({ body }) => body)
  const until = Effect.fnUntraced(function* (id: string, isSo: (body: Answer["body"]) => boolean) {
    for (let left = 400; left > 0; left -= 1) {
      const body = yield* shown(id)
      if (isSo(body)) return body
      yield* Effect.sleep("25 millis")
    }
    return assert.fail(`${id} never came to be as it should`)
  })
  /** Orders one of a kind. */
  const order = Effect.fnUntraced(function* (kind: Ordered) {
    const [path, body] = orders[kind]
    const answer = yield* ask("POST", path, { key, body, headers: { "idempotency-key": `k-${(made += 1)}` } })
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.body.id as string // as the contract says
  })
  /** Orders one of a kind, of which its provider then says nothing. */
  const unanswered = Effect.fnUntraced(function* (kind: Ordered) {
    const id = yield* order(kind)
    yield* until(id, ({ unresolved }) => unresolved)
    return id
  })
  const float = Effect.map(as("vera", "GET", "/float"), ({ body }) =>
    Object.fromEntries(
      body.currencies.map(
        (one: { readonly available: { amount: string; currency: string }; readonly held: { amount: string } }) => [
          one.available.currency,
          [one.available.amount, one.held.amount]
        ]
      )
    )
  )
  const check = Effect.provide(
    Effect.flatMap(LedgerSnapshot, (ledger) => ledger.snapshot(tenant, checkTenant)),
    layerOver(state)
  )
  /** Every book is as it should be. */
  const sound = Effect.map(check, (invariants) => {
    for (const { firstWrong, invariant } of invariants) assert.isNull(firstWrong, invariant)
  })
  return { as, ask, float, seeder, key, order, shown, sound, state, tenant, unanswered, until }
})
