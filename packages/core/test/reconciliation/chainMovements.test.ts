import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { chainMovements, type KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { judgeDifference } from "@bursar/core/reconciliation/judgeDifference"
import { exactly, sumOf } from "@bursar/core/reconciliation/Movement"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { TenantId } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction, TransactionPurpose } from "@bursar/core/transaction/OutboundTransaction"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const network = "ethereum"
const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const [wallets, addresses] = ["chain:ethereum:payouts", "chain:ethereum:deposits"]
const tenantId = TenantId("t1")
const block = (number: number) => ({ number, hash: `0x${number}`, time: number })

const depositOf = (units: bigint, at: number, status: Deposit["status"]): Deposit => ({
  id: `d${at}`,
  tenantId,
  addressId: "a",
  address: "0xDeposit",
  reference: "r",
  network,
  txHash: `0x${at}`,
  transferIndex: 0,
  currency: "USDT_ETH",
  units,
  fromAddress: null,
  block: block(at),
  confirmations: 1,
  requiredConfirmations: 3,
  status,
  historical: false,
  detectedAt: at,
  confirmedAt: null,
  reorgedAt: null,
  changeSeq: 1,
  creditedBy: status === "CONFIRMED" ? "op" : null,
  ownUnits: 0n
})

const transferOf = (units: bigint, at: number, isBooked: boolean): WalletTransfer => ({
  tenantId,
  walletId: "w",
  place: "WALLET",
  address: "0xWallet",
  paidTo: "0xWallet",
  memo: null,
  network,
  txHash: `0xw${at}`,
  transferIndex: 0,
  currency: "ETH",
  units,
  fromAddress: null,
  block: block(at),
  status: isBooked ? "CONFIRMED" : "DETECTED",
  bookedBy: isBooked ? "adjustment" : null,
  ownUnits: 0n,
  detectedAt: at
})

/** What truly became of a transaction, and how far the service knows. */
interface Sent {
  readonly purpose: Extract<TransactionPurpose, "PAYOUT" | "SWEEP" | "TOP_UP" | "CHANNEL">
  readonly units: bigint
  readonly fee: bigint
  readonly minedAt: number | null
  readonly reverted: boolean
  readonly knows: "signed" | "included" | "final"
}

const transactionOf = ({ fee, knows, minedAt, purpose, reverted, units }: Sent): KnownTransaction => {
  const phase = minedAt === null || knows === "signed" ? "BROADCAST" : knows === "included" ? "INCLUDED" : "FINAL"
  const native = purpose === "TOP_UP"
  const [from, to] =
    purpose === "SWEEP"
      ? ["0xDeposit", "0xWallet"]
      : ["0xWallet", purpose === "TOP_UP" ? "0xDeposit" : purpose === "CHANNEL" ? "0xWallet" : "0xCustomer"]
  const transaction: OutboundTransaction = {
    id: "s",
    network,
    purpose,
    walletId: "w",
    from,
    guard: { _tag: "Sequence", account: from, sequence: 1n },
    counterId: null,
    payments: [{ to, contract: native ? null : usdt, units, memo: null, operationId: null }],
    trustlines: [],
    drain: false,
    salt: 1,
    phase,
    outcome: phase === "FINAL" ? (reverted ? "reverted" : "done") : null,
    hashes: ["0xh"],
    feeMax: fee * 2n,
    cancelled: [],
    asked: null,
    problem: null,
    reservedAt: 0,
    signedAt: 0,
    sentAt: 0,
    lastSentAt: 0,
    blockNumber: phase === "BROADCAST" ? null : minedAt,
    fee: phase === "FINAL" ? fee : null,
    givenUpAfter: null,
    signingUntil: null,
    freed: [],
    endedAt: null
  }
  return { transaction, tenantId }
}

/** What a transaction does to each place and currency. */
const effectsOf = ({ fee, purpose, reverted, units }: Sent): ReadonlyArray<readonly [string, bigint]> => {
  const [from, to] =
    purpose === "SWEEP"
      ? [addresses, wallets]
      : [wallets, purpose === "TOP_UP" ? addresses : purpose === "CHANNEL" ? wallets : null]
  const currency = purpose === "TOP_UP" ? "ETH" : "USDT_ETH"
  const moved: ReadonlyArray<readonly [string, bigint]> = reverted
    ? []
    : [[positionKey(from, currency), -units], ...(to === null ? [] : [[positionKey(to, currency), units] as const])]
  return [[positionKey(from, "ETH"), -fee], ...moved]
}

const number = fc.integer({ min: 1, max: 20 })
const amount = fc.bigInt({ min: 1n, max: 1_000n })
const sent = fc.record({
  purpose: fc.constantFrom("PAYOUT", "SWEEP", "TOP_UP", "CHANNEL"),
  units: amount,
  fee: fc.bigInt({ min: 1n, max: 9n }),
  minedAt: fc.option(number),
  reverted: fc.boolean(),
  knows: fc.constantFrom("signed", "included", "final")
})
const world = fc.record({
  deposits: fc.array(fc.record({ units: amount, at: number, isBooked: fc.boolean() })),
  transfers: fc.array(fc.record({ units: amount, at: number, isBooked: fc.boolean() })),
  sent: fc.array(sent),
  walletHeight: number,
  depositHeight: number
})

type World = typeof world extends fc.Arbitrary<infer A> ? A : never

/** Compares the books of a world with its chain, as the blocks stood at which each address was read. */
const compared = ({ depositHeight, deposits, sent: all, transfers, walletHeight }: World, stolen = 0n) => {
  const [ledger, observed] = [new Map<string, bigint>(), new Map<string, bigint>()]
  const add = (to: Map<string, bigint>, key: string, units: bigint) => to.set(key, (to.get(key) ?? 0n) + units)
  const height = (key: string) => (key.startsWith(wallets) ? walletHeight : depositHeight)
  const happened = (key: string, units: bigint, at: number | null, isBooked: boolean) => {
    if (isBooked) add(ledger, key, units)
    if (at !== null && at <= height(key)) add(observed, key, units)
  }
  for (const { at, isBooked, units } of deposits) happened(positionKey(addresses, "USDT_ETH"), units, at, isBooked)
  for (const { at, isBooked, units } of transfers) happened(positionKey(wallets, "ETH"), units, at, isBooked)
  for (const one of all)
    for (const [key, units] of effectsOf(one))
      happened(key, units, one.minedAt, one.minedAt !== null && one.knows === "final")
  add(observed, positionKey(wallets, "USDT_ETH"), -stolen)
  const movements = chainMovements(
    {
      deposits: deposits.map(({ at, isBooked, units }) => ({
        deposit: depositOf(units, at, isBooked ? "CONFIRMED" : "DETECTED"),
        isBooked
      })),
      transfers: transfers.map(({ at, isBooked, units }) => ({ transfer: transferOf(units, at, isBooked), isBooked })),
      transactions: all.map(transactionOf)
    },
    defaultCurrencies,
    (address) => (address === "0xWallet" ? walletHeight : address === "0xDeposit" ? depositHeight : undefined)
  )
  const inFlight = sumOf(movements, ({ currency, place }) => positionKey(place, currency))
  const keys = new Set([...ledger.keys(), ...observed.keys(), ...inFlight.keys()])
  return [...keys].map((key) => ({
    key,
    verdict: judgeDifference(
      { ledger: ledger.get(key) ?? 0n, observed: observed.get(key) ?? 0n, inFlight: inFlight.get(key) ?? exactly(0n) },
      []
    )
  }))
}

describe("chainMovements", () => {
  it("books that are right have no difference, whatever is under way and at whichever blocks addresses were read", () => {
    fc.assert(
      fc.property(world, (given) => {
        for (const { key, verdict } of compared(given)) assert.strictEqual(verdict.difference, 0n, key)
      }),
      { numRuns: 500 }
    )
  })

  it("what was taken behind the service's back is found, to the unit, once nothing else is under way", () => {
    const settled = world.map((given) => ({
      ...given,
      sent: given.sent.map((one) => ({ ...one, minedAt: one.minedAt ?? 1, knows: "final" as const }))
    }))
    fc.assert(
      fc.property(settled, fc.bigInt({ min: 1n, max: 10n ** 20n }), (given, stolen) => {
        const wrong = compared(given, stolen).filter(({ verdict }) => verdict.difference !== 0n)
        assert.deepStrictEqual(
          wrong.map(({ key, verdict }) => [key, verdict.opened]),
          [[positionKey(wallets, "USDT_ETH"), stolen]]
        )
      })
    )
  })

  it("an address that was not read shows nothing, so what is booked of it is in flight", () => {
    const deposit = depositOf(5n, 3, "CONFIRMED")
    const [movement] = chainMovements(
      { deposits: [{ deposit, isBooked: true }], transfers: [], transactions: [] },
      defaultCurrencies,
      () => undefined
    )
    assert.deepStrictEqual(movement?.inFlight, exactly(5n))
  })
})
