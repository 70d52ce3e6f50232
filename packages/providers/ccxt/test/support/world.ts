import { CcxtCustodian, type CcxtOptions, CcxtPrices } from "@bursar/ccxt"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { CallTurns } from "@bursar/core/port/CallTurns"
import { CustodianWorld, type ReceivedWithdrawal } from "@bursar/testkit/suites/custodian/CustodianWorld"
import { PricesWorld } from "@bursar/testkit/suites/prices/PricesWorld"
import { Effect, Layer, Semaphore } from "effect"
import { serve, type Served, type Wire } from "./Wire.ts"

/** Where the withdrawals of the tests go. */
export const receivers = {
  USDT_TRON: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  USDC_ETH: "0x00000000000000000000000000000000000000aa"
} as const

const oneAtATime = Semaphore.withPermits(Semaphore.makeUnsafe(1), 1)
let lastNumber = 0n
const nextNumber = () => {
  const micros = BigInt(Date.now()) * 1_000n
  return micros > lastNumber ? micros : lastNumber + 1n
}

/** The turns that all processes of a test file share. */
export const turns = Layer.sync(CallTurns, () =>
  CallTurns.of({
    inTurn: (_key, _holdMs, call) =>
      oneAtATime(
        Effect.flatMap(
          Effect.sync(() => (lastNumber = nextNumber())),
          call
        )
      )
  })
)

/** A custodian of a process of its own. */
export const makeCustodian = (options: CcxtCustodian.CcxtCustodianOptions) =>
  Effect.provide(CcxtCustodian.make(options), turns)

/** What a wire is called with: its own address, no waiting for rate limits. */
export const optionsFor = (
  wire: Wire,
  { url }: Served
): CcxtOptions & { readonly credentials: Wire["credentials"] } => ({
  exchange: wire.name,
  credentials: wire.credentials,
  baseUrl: url,
  paced: false,
  timeoutMs: 2_000
})

const withdrawalAt = (wire: Wire) => {
  const [currency, network] =
    wire.name === "coinbase" ? (["USDC_ETH", "ethereum"] as const) : (["USDT_TRON", "tron"] as const)
  return { currency, network, units: 12_345_678n, address: receivers[currency], memo: null }
}

/** What the exchanges call the network of the withdrawals. */
const networkNames = {
  binance: "TRX",
  bitget: "TRC20",
  coinbase: "ethereum",
  kraken: "Tron",
  okx: "USDT-TRC20"
} as const

/** The newest withdrawal in an exchange's books, whose coins have six decimals. */
const receivedBy = ({ book, name }: Wire, network: string): ReceivedWithdrawal => {
  const [row] = book.withdrawals
  if (row === undefined) throw new Error("nothing was withdrawn")
  // what the network costs is on top at coinbase
  const paid = name === "coinbase" ? row.gross - row.fee : row.gross
  return {
    units: paid / 10n ** 12n,
    network: row.network === networkNames[name] ? network : row.network,
    address: row.address,
    memo: row.memo
  }
}

/** An exchange as the contract suite of custodians sees it. */
export const layerCustodianWorld = (open: () => Wire) =>
  Layer.effect(
    CustodianWorld,
    Effect.gen(function* () {
      const wire = open()
      const options = optionsFor(wire, yield* serve(wire))
      const { book } = wire
      const quote = wire.name === "coinbase" ? "USDC_ETH" : "USDT_TRON"
      return CustodianWorld.of({
        custodian: yield* makeCustodian(options),
        another: Effect.orDie(makeCustodian(options)),
        withdrawal: withdrawalAt(wire),
        memo: "4711",
        received: Effect.sync(() => receivedBy(wire, withdrawalAt(wire).network)),
        conversions: [
          { currency: "BTC", units: 12_345_678n, to: quote },
          { currency: quote, units: 5_000_500_000n, to: "BTC" }
        ],
        next: (kind, outcome) => Effect.sync(() => void book.script[kind].push(outcome)),
        finish: Effect.sync(() => book.finish()),
        taken: (kind) => Effect.sync(() => (kind === "withdrawal" ? book.withdrawals : book.orders).length),
        held: (currency) =>
          Effect.sync(() => {
            const places = defaultCurrencies.byCode(currency)?.decimals ?? 0
            return (book.balances.get(currency === quote ? book.quote : currency) ?? 0n) / 10n ** BigInt(18 - places)
          }),
        silence: Effect.sync(() => void (book.silent = true)),
        errors: Effect.sync(() => void (book.failing = true)),
        heal: Effect.sync(() => {
          book.silent = false
          book.failing = false
        })
      })
    })
  )

const staleAfterMs = 1_000

/** An exchange as the contract suite of prices sees it. */
export const layerPricesWorld = (open: () => Wire) =>
  Layer.effect(
    PricesWorld,
    Effect.gen(function* () {
      const wire = open()
      const { book } = wire
      const options = { ...optionsFor(wire, yield* serve(wire)), staleAfterMs, freshForMs: 0 }
      return PricesWorld.of({
        prices: yield* CcxtPrices.make(options),
        currency: "BTC",
        other: wire.name === "coinbase" ? "USDC_ETH" : "USDT_TRON",
        otherUsd: "1",
        setUsd: (usd) => Effect.sync(() => void (book.price = usd)),
        age: (ms) => Effect.sync(() => void (book.age = ms)),
        silence: Effect.andThen(
          Effect.sync(() => void (book.silent = true)),
          Effect.sleep(staleAfterMs + 100)
        ),
        heal: Effect.sync(() => void (book.silent = false))
      })
    })
  )
