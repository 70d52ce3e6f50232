import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { seedOf } from "@bursar/testkit/fixtures/seedOf"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { createPayout } from "@bursar/core/payout/createPayout"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import type { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { layerOver, type State } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type At, watched, watchSender } from "@bursar/testkit/fixtures/Places"
import { defaultSendLimits, type SendLimits } from "../../src/transactions/SendLimits.ts"
import { sendNetwork } from "../../src/sender/sendNetwork.ts"

/** The storage ports, a writer and a signer over a state; several such layers are as several processes on one database. */
export const processOver = (
  state: State,
  fake: FakeSender
): Layer.Layer<Layer.Success<ReturnType<typeof layerOver>> | Writer.Writer | TransactionSigner> =>
  Layer.mergeAll(Writer.layer.pipe(Layer.provideMerge(layerOver(state))), fake.signer)

/** Limits with short waits. */
export const quick: SendLimits = {
  ...defaultSendLimits,
  retryFirstMs: 500,
  retryLongestMs: 4_000,
  checkFirstMs: 500,
  checkLongestMs: 4_000,
  unresolvedAfterMs: 600_000
}

/** A sender of a network, whose calls are the places that `at` is told of. */
export const sending = (fake: FakeSender, at: At = () => Effect.void, limits: Partial<SendLimits> = {}) =>
  sendNetwork({
    sender: watchSender(fake.sender, at),
    currencies: defaultCurrencies,
    limits: { ...quick, ...limits }
  }).pipe(watched(at))

/** The coin of each network, or the token that is paid in tests. */
export const assets: Readonly<Record<"ethereum" | "tron" | "bitcoin" | "stellar", string>> = {
  ethereum: "USDT_ETH",
  tron: "USDT_TRON",
  bitcoin: "BTC",
  stellar: "XLM"
}

/** A network of the tests. */
export type Tested = keyof typeof assets

const wallets: Readonly<Record<Tested, string>> = {
  ethereum: "0x00000000000000000000000000000000000000A0",
  tron: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  bitcoin: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
  stellar: "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"
}

/** The receiver of the n-th payout. */
export const receiver = (network: Tested, n: number): string =>
  network === "bitcoin"
    ? `bcrt1q${"qpzry9x8gf2tvdw0s3jn54khce6mua7l".charAt(n % 32).repeat(38)}`
    : `receiver-${network}-${n}`

const units = 100_000_000_000n

/** Submits a command. */
export const submit = <A>(tenantId: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer.Writer, (writer) => writer.submit(tenantId, command))

/** A tenant with a float and a funded payout wallet. */
export const payer = Effect.fn("payer")(function* (
  network: Tested,
  fake: FakeSender,
  utxos = 40,
  address = wallets[network]
) {
  const { id } = yield* newTenant({
    policy: {
      ...defaultPolicy,
      payoutLimitUsd: null,
      payoutDailyLimitUsd: null,
      payoutNewAddressLimitUsd: null,
      payoutReviewUsd: null,
      payoutMinimums: { [assets[network]]: "0" }
    }
  })
  const currency = assets[network]
  const contract = defaultCurrencies.byCode(currency)?.asset?.contract ?? null
  const against = `chain:${network satisfies Network}:payouts` as const
  yield* submit(id, adjustFloat({ amount: of(units, currency), against, reason: "funded" }))
  const wallet = yield* submit(
    id,
    addWallet({ network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(address) }, presetNetworks)
  )
  if (network === "stellar") {
    for (const index of [1, 2, 3]) {
      yield* submit(
        id,
        addWallet(
          { network, role: "CHANNEL", seedId: seedOf(wallet), index, ...keyed(`G-channel-${index}`) },
          presetNetworks
        )
      )
    }
  }
  fake.fund(address, contract, units)
  if (network === "bitcoin") {
    const time = yield* Clock.currentTimeMillis
    const found = Array.from({ length: utxos }, (_, at) => ({
      network,
      txHash: newTxHash(),
      transferIndex: at,
      walletId: wallet.id,
      address,
      paidTo: address,
      memo: null,
      currency,
      units: 200_000n,
      fromAddress: null,
      block: { number: 1, hash: "funding", time }
    }))
    const incomingTransfers = yield* submit(id, recordWalletTransfers(found, presetNetworks))
    yield* submit(
      id,
      confirmWalletTransfers(
        incomingTransfers.map((incomingTransfer) => ({ incomingTransfer, block: { hash: "funding" } })),
        presetNetworks,
        nothingUndecided
      )
    )
  }
  return { id, wallet, contract }
})

let keys = 0

/** Asks for a payout to the n-th receiver. */
export const pay = Effect.fnUntraced(function* (
  tenantId: TenantId,
  network: Tested,
  n: number,
  amount = 10_000n,
  fee = 10n
) {
  const currency = assets[network]
  const contract = defaultCurrencies.byCode(currency)?.asset?.contract ?? null
  const to = receiver(network, n)
  const key = `pay-${++keys}`
  let made: Operation | undefined
  yield* submit(
    tenantId,
    idempotent({
      key,
      endpoint: "POST /v1/chain-payouts",
      fingerprint: key,
      resourceId: ({ id }) => id,
      render: (operation) => {
        made = operation
        return { id: operation.id }
      },
      command: createPayout({
        order: { network, currency, contract, units: amount, to, memo: null },
        account: to,
        reference: `payout ${n}`,
        tenant: null,
        defaultFees: [flatFee(fee, defaultCurrencies.byCode(currency)?.decimals ?? 0)],
        usd: null,
        switchedOff: null,
        evidence: { keyid: "k", signatureBase: key, signature: "s", body: "e30=" },
        madeBy: "maker",
        currencies: defaultCurrencies
      })
    })
  )
  return made ?? (yield* Effect.die(new Error("the payout was refused")))
})

/** The operations of a tenant by their ids. */
export const operationsOf = Effect.fnUntraced(function* (tenantId: TenantId, made: ReadonlyArray<Operation>) {
  const queries = yield* Queries
  const now = yield* Effect.forEach(made, ({ id }) => queries.operation(tenantId, id))
  return now.filter((operation) => operation !== undefined)
})

/** Lets a second pass and everything that it wakes run. */
export const tick = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.forEach(Array.from({ length: 30 }), () => Effect.yieldNow, { discard: true })
)

/** Lets time pass, with a block every second, until something is true; fails the test where it never is. */
export const mineUntil = <E, R>(fake: FakeSender, what: string, isTrue: Effect.Effect<boolean, E, R>, seconds = 600) =>
  Effect.gen(function* () {
    for (let left = seconds; left > 0; left--) {
      if (yield* isTrue) return
      fake.mine(yield* Clock.currentTimeMillis)
      yield* tick
    }
    assert.fail(`it never came true that ${what}`)
  })

/** Whether all of some payouts are over. */
export const allOver = (tenantId: TenantId, made: ReadonlyArray<Operation>) =>
  Effect.map(operationsOf(tenantId, made), (now) =>
    now.every(({ status }) => status === "SETTLED" || status === "FAILED")
  )

/** Fails the test where the books do not add up. */
export const ledgerHolds = Effect.fnUntraced(function* (tenantId: TenantId) {
  const results = yield* (yield* LedgerSnapshot).snapshot(tenantId, checkTenant)
  for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
})

/** How often the chain pays each receiver of some payouts. */
export const timesPaid = (fake: FakeSender, to: string): number =>
  fake
    .chain()
    .filter(({ reverts }) => !reverts)
    .flatMap(({ payments }) => payments)
    .filter((payment) => payment.to === to).length
