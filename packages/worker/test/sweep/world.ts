import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { accountAt, keyed, keysAt } from "@bursar/testkit/fixtures/deposits"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import type { Account } from "@bursar/core/ledger/Account"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert } from "@effect/vitest"
import { Clock, Effect, Stream } from "effect"
import { type At, watched, watchSender } from "@bursar/testkit/fixtures/Places"
import { sendNetwork } from "../../src/sender/sendNetwork.ts"
import { defaultSweepLimits, type SweepLimits } from "../../src/sweep/SweepLimits.ts"
import { quick, submit } from "../transactions/world.ts"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"

/** The networks of the tests, each with the currencies that arrive. */
export const arriving = {
  ethereum: ["USDT_ETH", "ETH"],
  tron: ["USDT_TRON", "TRX"],
  bitcoin: ["BTC"],
  stellar: ["USDC_XLM", "XLM"]
} as const

/** A network of the tests. */
export type Swept = keyof typeof arriving

const wallets: Readonly<Record<Swept, string>> = {
  ethereum: "0x00000000000000000000000000000000000000A0",
  tron: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  bitcoin: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
  stellar: "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"
}

/** The account whose parts the addresses of stellar are. */
export const issuingAccount = "G-issuing"

const characters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const addressAt = (network: Swept, n: number): string =>
  network === "bitcoin"
    ? `bcrt1q${characters.charAt(n % 32).repeat(38)}`
    : `${network === "stellar" ? "M" : "address"}-${n}`

/** Who pays on the chain for an address. */
export const accountOf = (network: Swept, address: string): string => (network === "stellar" ? issuingAccount : address)

/** Every unit is worth as much as every other, so that values are told by amounts alone. */
export const oneEach = (currency: string): Rate => {
  const decimals = defaultCurrencies.byCode(currency)?.decimals ?? 0
  return { price: { units: 10n ** BigInt(decimals), decimals: 0 }, source: "test", observedAt: 0 }
}

/** A price as a source tells it now. */
const quoted = (currency: string, usd: (currency: string) => Rate | null) =>
  Effect.map(Clock.currentTimeMillis, (observedAt) => {
    const seen = usd(currency)
    return seen === null ? null : { ...seen, observedAt }
  })

/** Limits with short waits. */
export const quickSweeps: SweepLimits = {
  ...defaultSweepLimits,
  network: { sweepCostShareMaxPercent: null, sweepKeeps: 0n },
  idleMs: 500,
  reconsiderMs: 4_000,
  retryFirstMs: 500,
  retryLongestMs: 4_000,
  followMs: 1_000,
  goneMaxMs: 5_000
}

/** A sender that sweeps, whose calls are the places that `at` is told of. */
export const sweeping = (
  fake: FakeSender,
  at: At = () => Effect.void,
  limits: Partial<SweepLimits> = {},
  usd: (currency: string) => Rate | null = oneEach
) =>
  sendNetwork({
    sender: watchSender(fake.sender, at),
    currencies: defaultCurrencies,
    limits: quick,
    sweeps: { usd: (currency) => quoted(currency, usd), limits: { ...quickSweeps, ...limits } }
  }).pipe(watched(at))

/** What a wallet is given for gas. */
const utxos = 1_000_000n

/**
 * A tenant with a payout wallet that has coin, in the books and on the chain, and with issued addresses, the first of which is the one of the given
 * number.
 */
export const custody = Effect.fn("custody")(function* (
  network: Swept,
  fake: FakeSender,
  count: number,
  policy: Partial<TenantPolicy> = {},
  { from, address }: { readonly from: number; readonly address: string } = { from: 0, address: wallets[network] }
) {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, ...policy } })
  const utxo = defaultCurrencies.byAsset(network, null)
  if (utxo === undefined) return yield* Effect.die(new Error("the network has no coin"))
  const against = `chain:${network}:payouts` as const
  if (network !== "bitcoin") {
    yield* submit(id, adjustFloat({ amount: of(utxos, utxo.code), against, reason: "funded" }))
    fake.fund(address, null, utxos)
  }
  const wallet = yield* submit(
    id,
    addWallet({ network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(address) }, presetNetworks)
  )
  const seedId = crypto.randomUUID()
  const { addresses } = yield* submit(
    id,
    issueAddresses(
      {
        network,
        reference: "r",
        count,
        prederived: {
          seedId,
          ...accountAt(network === "stellar" ? issuingAccount : `account-${id}`),
          from: 0,
          addresses: Array.from({ length: count }, (_, n) => keyed(addressAt(network, from + n)))
        }
      },
      presetNetworks
    )
  )
  if (network === "stellar") {
    // its setup gave it coin of the wallet's for fees
    yield* submit(
      id,
      adjustFloat({ amount: of(1_000n, utxo.code), against: `chain:${network}:deposits`, reason: "set up" })
    )
    fake.fund(issuingAccount, null, 1_000n)
  }
  return { id, wallet, addresses, utxo: utxo.code }
})

/** Lets something arrive on an address, in the books as detected and on the chain. */
export const arrive = Effect.fnUntraced(function* (
  tenantId: TenantId,
  fake: FakeSender,
  address: DepositAddress,
  currency: string,
  units: bigint,
  more: { readonly historical?: boolean; readonly fromAddress?: string } = {}
) {
  const { network } = address
  const time = more.historical === true ? address.createdAt - 3_600_000 : yield* Clock.currentTimeMillis
  const incomingTransfer = {
    network,
    txHash: newTxHash(),
    transferIndex: 0,
    addressId: address.id,
    address: address.address,
    keys: keysAt(address.address),
    currency,
    units,
    fromAddress: more.fromAddress ?? "outside",
    block: { number: 1_000, hash: newTxHash(), time },
    confirmations: 1
  }
  const [deposit] = yield* submit(
    tenantId,
    recordIncomingTransfers(
      { network, requiredConfirmations: 1, incomingTransfers: [incomingTransfer] },
      defaultCurrencies
    )
  )
  if (deposit === undefined) return yield* Effect.die(new Error("it was not recorded"))
  const contract = defaultCurrencies.byCode(currency)?.asset?.contract ?? null
  fake.fund(accountOf(network as Swept, address.address), contract, units) // its network is one of the tests'
  return deposit
})

/** Confirms a deposit. */
export const confirmed = Effect.fnUntraced(function* (tenantId: TenantId, deposit: Deposit) {
  const blockHash = deposit.block?.hash ?? ""
  const [after] = yield* submit(
    tenantId,
    confirmDeposits([{ deposit, blockHash, confirmations: 1 }], defaultCurrencies, nothingUndecided)
  )
  return after ?? (yield* Effect.die(new Error("it was not confirmed")))
})

/** Takes a deposit's block off the chain. What it brought is gone from its account. */
export const lost = Effect.fnUntraced(function* (tenantId: TenantId, fake: FakeSender, deposit: Deposit) {
  const blockHash = deposit.block?.hash ?? null
  yield* submit(tenantId, reorgDeposits([{ deposit, blockHash }], defaultCurrencies))
  const contract = defaultCurrencies.byCode(deposit.currency)?.asset?.contract ?? null
  fake.fund(accountOf(deposit.network as Swept, deposit.address), contract, -deposit.units) // its network is one of the tests'
})

/** The transfer of a lost deposit stands in another block. */
export const isBack = Effect.fnUntraced(function* (tenantId: TenantId, fake: FakeSender, deposit: Deposit) {
  const { address, addressId, currency, fromAddress, network, transferIndex, txHash, units } = deposit
  const block = { number: 1_001, hash: newTxHash(), time: yield* Clock.currentTimeMillis }
  const seen = { network, txHash, transferIndex, addressId, address, currency, units, fromAddress, block }
  const [again] = yield* submit(
    tenantId,
    recordIncomingTransfers(
      { network, requiredConfirmations: 1, incomingTransfers: [{ ...seen, keys: keysAt(address), confirmations: 1 }] },
      defaultCurrencies
    )
  )
  const contract = defaultCurrencies.byCode(currency)?.asset?.contract ?? null
  fake.fund(accountOf(network as Swept, address), contract, units) // its network is one of the tests'
  return again ?? (yield* Effect.die(new Error("it was not recorded")))
})

/** All sweeps of a tenant. */
export const sweepsOf = Effect.fnUntraced(function* (tenantId: TenantId) {
  return yield* (yield* Queries).records(tenantId, Sweep)
})

/** What an account of the books holds of each currency. */
export const booked = Effect.fnUntraced(function* (tenantId: TenantId, account: Account) {
  const ledger = yield* LedgerSnapshot
  return yield* ledger.snapshot(tenantId, ({ balances }) =>
    Effect.succeed(
      new Map(
        balances.filter((one) => one.account === account).map(({ currency, units }) => [currency, units] as const)
      )
    )
  )
})

/** Fails the test where the books say another thing than the chain, in any currency that arrives. */
export const ledgerAgrees = Effect.fnUntraced(function* (
  network: Swept,
  fake: FakeSender,
  tenantId: TenantId,
  addresses: ReadonlyArray<DepositAddress>
) {
  const payouts = yield* booked(tenantId, `chain:${network}:payouts`)
  const deposits = yield* booked(tenantId, `chain:${network}:deposits`)
  const accounts = new Set(addresses.map(({ address }) => accountOf(network, address)))
  for (const currency of arriving[network]) {
    const contract = defaultCurrencies.byCode(currency)?.asset?.contract ?? null
    const there = [...accounts].reduce((sum, account) => sum + fake.holds(account, contract), 0n)
    assert.strictEqual(deposits.get(currency) ?? 0n, there, `${currency} on addresses`)
    assert.strictEqual(payouts.get(currency) ?? 0n, fake.holds(wallets[network], contract), `${currency} in the wallet`)
  }
})

/** How much an outbound transaction of sweeps moves, as the chain shows it, by currency. */
export const movedOf = (sweeps: ReadonlyArray<Sweep>): ReadonlyArray<string> =>
  sweeps.filter(({ state }) => state === "SWEPT").flatMap(({ deposits }) => deposits.map(({ depositId }) => depositId))

/** All deposits that wait to be swept. */
export const openSweepables = Effect.fnUntraced(function* (tenantId: TenantId) {
  const sweepables = yield* (yield* LedgerSnapshot).snapshot(tenantId, ({ records }) =>
    Stream.runCollect(records(SweepableDeposit))
  )
  return sweepables
})
