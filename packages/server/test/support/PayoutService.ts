import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { of } from "@bursar/core/money/Amount"
import type { Network } from "@bursar/core/money/Network"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { addWallet, type AddWallet } from "@bursar/core/provisioning/addWallet"
import { ChainError, type Memo } from "@bursar/core/port/Chain"
import { typedMemo } from "@bursar/core/port/MemoText"
import { type ChainSender, type FeeEstimate, type Preflight, type Proof } from "@bursar/core/port/ChainSender"
import type { Networks } from "@bursar/core/port/Networks"
import { Prices } from "@bursar/core/port/Prices"
import type { TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { it } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import type { ServerSettings } from "../../src/config/ServerConfig.ts"
import { type Answer, Partner, portsOver } from "./Partner.ts"
import { authority, registerPair, requestOf } from "./signing.ts"
import { testNetwork } from "./TestPorts.ts"
import { addressOf, booked } from "./written.ts"
import { stored } from "./stored.ts"

type Asked = Parameters<ChainSender["estimate"]>[0]
type Paid = Parameters<ChainSender["preflight"]>[0]
type Claimed = Parameters<ChainSender["prove"]>[0]

/** The world outside, as a test tells it, and what it was asked. Tests change it between requests. */
export interface World {
  /** Whole US dollars for one whole unit; of the rest nothing is known. */
  usd: Readonly<Record<string, bigint>>
  /** How old the prices are. */
  priceAgeMs: number
  estimate: FeeEstimate
  preflight: Preflight | "unreachable"
  /** What a preflight waits for. */
  gate: Effect.Effect<void>
  proof: Proof
  readonly asked: { estimates: Array<Asked>; preflights: Array<Paid>; proofs: Array<Claimed> }
}

/** A world in which all is well. */
export const fairWorld = (): World => ({
  usd: { USDT_ETH: 1n, ETH: 2_000n, XLM: 1n },
  priceAgeMs: 0,
  estimate: { fee: 1_000_000_000_000_000n, recipientHoldsAsset: true, assumedWorstCase: false },
  preflight: { _tag: "Payable" },
  gate: Effect.void,
  proof: { verdict: "UNREADABLE", reason: "not told" },
  asked: { estimates: [], preflights: [], proofs: [] }
})

const senderOf = (network: Network, world: World): ChainSender => ({
  ...makeFakeSender({ network }).sender,
  estimate: (asked) =>
    Effect.sync(() => {
      world.asked.estimates.push(asked)
      return world.estimate
    }),
  preflight: (asked) =>
    Effect.suspend(() => {
      world.asked.preflights.push(asked)
      const answer: Effect.Effect<Preflight, ChainError> =
        world.preflight === "unreachable"
          ? Effect.fail(new ChainError({ network, reason: "unreachable", doing: "preflight", detail: "no node" }))
          : Effect.succeed(world.preflight)
      return Effect.andThen(world.gate, answer)
    }),
  prove: (asked) =>
    Effect.sync(() => {
      world.asked.proofs.push(asked)
      return world.proof
    })
})

/** Beside the usual EVM networks stellar, whose accounts are 56 characters. */
const networksOf = (world: World): Layer.Layer<Networks> =>
  layerFakeNetworks([
    testNetwork("ethereum", { sender: senderOf("ethereum", world) }),
    testNetwork("bsc"),
    testNetwork("base"),
    testNetwork("stellar", {
      sender: senderOf("stellar", world),
      readMemo: (_to, text) => {
        const memo: Memo = typedMemo(text) ?? { type: "text", value: text }
        const fits = { id: /^[0-9]+$/u, text: /^.{1,28}$/u, hash: /^[0-9a-f]{64}$/u, return: /^[0-9a-f]{64}$/u }[
          memo.type
        ]
        return fits.test(memo.value) ? Result.succeed(memo) : Result.fail("This is no memo of stellar.")
      },
      parseAddress: (text) =>
        /^G[A-Z2-7]{55}$/u.test(text) ? Result.succeed(text) : Result.fail("This is no account of stellar.")
    })
  ])

/** The ports of a service that pays, in a world. */
export const payingPorts = (world: World) => (state: State) => {
  const prices = Prices.of({
    usd: (currency) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const units = world.usd[currency]
        const observedAt = now - world.priceAgeMs
        return units === undefined ? null : { price: { units, decimals: 0 }, source: "test", observedAt }
      }),
    rate: () => Effect.succeed(null)
  })
  return Layer.mergeAll(portsOver(state), networksOf(world), Layer.succeed(Prices, prices))
}

/** A partner server that pays in a world, over memory. */
const payingServer = (world: World, changes: Partial<ServerSettings> = {}) => Partner.layer(changes, payingPorts(world))

/** A receiver that nobody here has, written as partners may write it. */
export const receiver = `0x${"Ab".repeat(20)}`

/** An account of stellar that nobody here has. */
export const stellarReceiver = `G${"B".repeat(55)}`

/** The address of a tenant's own wallet: by the number that is in the tenant's id. */
const walletAddress = (network: Network, tenant: string): string => {
  const number = Number(tenant.slice(-6)) + 0x1000
  const letters = String(number).replaceAll(/[0-9]/gu, (digit) => "ABCDEFGHIJ".charAt(Number(digit)))
  return network === "stellar" ? `G${letters.padStart(55, "A")}` : addressOf(number)
}

const floats = [
  of(1_000_000_000n, "USDT_ETH"),
  of(10n ** 18n, "ETH"),
  of(10n ** 10n, "XLM"),
  of(1_000_000_000n, "USDC_BASE")
]

/** How the tenant of a test differs from the usual one. */
export interface PayoutServiceOptions {
  readonly policy?: Partial<TenantPolicy>
  /** Where it has a payout wallet. Default: on ethereum and stellar. */
  readonly wallets?: ReadonlyArray<Network>
}

/**
 * A tenant with 1,000 USDT_ETH, 1 ETH, 1,000 XLM and 1,000 USDC_BASE, with a wallet on each network, and a partner who signs for it.
 */
export const startPayoutServiceAt = Effect.fnUntraced(function* (
  { seeder, send, state }: Pick<Partner["Service"], "seeder" | "send" | "state">,
  options: PayoutServiceOptions = {}
) {
  const tenant = yield* seeder.tenant(options.policy === undefined ? {} : { policy: options.policy })
  const key = yield* seeder.key(tenant)
  const pair = yield* registerPair(seeder, tenant, key)
  for (const amount of floats) {
    const network = defaultCurrencies.byCode(amount.currency)?.asset?.network
    const against = network === undefined ? "bank" : (`chain:${network}:payouts` as const)
    yield* seeder.submit(tenant, adjustFloat({ amount, against, reason: "t" }))
  }
  const walletOf = (network: Network): AddWallet => ({
    network,
    role: "PAYOUT",
    seedId: "019845e1-682f-7b02-a706-00000000abcd",
    index: 0,
    ...keyed(walletAddress(network, tenant))
  })
  for (const network of options.wallets ?? ["ethereum", "stellar"])
    yield* seeder.submit(tenant, addWallet(walletOf(network), presetNetworks))

  let made = 0
  const path = "/v1/chain-payouts"
  /** Signs this text, or these bytes, and posts it, under a key of its own unless told otherwise. */
  const payRaw = Effect.fnUntraced(function* (raw: string | Buffer, idempotencyKey = `k-${(made += 1)}`) {
    const request = requestOf(typeof raw === "string" ? raw : new Uint8Array(raw), idempotencyKey, { path })
    const headers = { host: authority, "idempotency-key": idempotencyKey, ...(yield* pair.signer.sign(request)) }
    return yield* send("POST", path, { key, raw, headers })
  })
  const pay = (body: unknown, idempotencyKey?: string) => payRaw(JSON.stringify(body), idempotencyKey)
  const get = (at: string, as = key) => send("GET", at, { key: as })
  const books = () => booked(state, tenant)
  /** How many answers are kept under keys, and nonces that are used up. */
  const kept = () => [stored(state, tenant, IdempotencyRecord).size, stored(state, tenant, SignatureNonce).size]
  return {
    seeder,
    send,
    state,
    tenant,
    key,
    pair,
    wallet: walletAddress("ethereum", tenant),
    pay,
    payRaw,
    get,
    books,
    kept
  }
})

/** A desk at the partner server of the test. */
export const startPayoutService = (options?: PayoutServiceOptions) =>
  Effect.flatMap(Partner, (server) => startPayoutServiceAt(server, options))

/** A desk, as `startPayoutService` gives it. */
export type PayoutService = Effect.Success<ReturnType<typeof startPayoutService>>

/** Where chain payouts are. */
export const path = "/v1/chain-payouts"

/** An amount, of USDT on ethereum unless told otherwise. */
export const money = (amount: string, currency = "USDT_ETH") => ({ amount, currency })

/** The body of a payout that nothing is wrong with. */
export const baseRequest = {
  amount: money("100"),
  network: "ethereum",
  destination: { address: receiver },
  reference: "invoice-2041"
}

/** The same of another amount. */
export const paying = (amount: string, currency?: string) => ({ ...baseRequest, amount: money(amount, currency) })

/** Of a payout on stellar with a memo. */
export const withMemo = (memo?: string) => ({
  amount: money("50", "XLM"),
  network: "stellar",
  destination: { address: stellarReceiver, ...(memo !== undefined && { memo }) },
  reference: "r"
})

/** A policy that limits nothing. */
export const unlimited = {
  payoutLimitUsd: null,
  payoutDailyLimitUsd: null,
  payoutNewAddressLimitUsd: null,
  payoutReviewUsd: null
}

/** Status and code of an answer. */
export const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

/** Moments of answers are in UTC. */
export const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u

/** A test with a server and a world of its own. */
export const test = <A, E>(
  name: string,
  body: (world: World) => Effect.Effect<A, E, Partner>,
  changes: Partial<ServerSettings> = {}
) =>
  it.live(name, () => {
    const world = fairWorld()
    return Effect.provide(body(world), payingServer(world, changes))
  })

/** Asks for an estimate. */
export const estimateOf = ({ get }: Pick<PayoutService, "get">, query: string) => get(`${path}/estimate?${query}`)

/** Has a tenant pay by a fee of one percent, at least half a dollar. */
export const charge = ({ seeder, tenant }: PayoutService) =>
  seeder.submit(
    tenant,
    addFeeRule({
      product: "CHAIN_PAYOUT",
      currency: "USDT_ETH",
      rail: null,
      percent: { units: 1n, decimals: 0 },
      minimumFee: { units: 5n, decimals: 1 },
      priority: 1,
      effectiveFrom: null
    })
  )
