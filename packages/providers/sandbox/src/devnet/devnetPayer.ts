import { format } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { KeyFamily, Network } from "@bursar/core/money/Network"
import { Effect, Option, Schema } from "effect"
import { type Payer, type Payment, PaymentError } from "../custodian/Payer.ts"
import { ask } from "./ask.ts"

/** Where a local network is: its controls, and the node as wallets reach it (JSON-RPC, tron's HTTP API, Horizon). */
export interface DevnetEndpoint {
  readonly controlUrl: string
  readonly nodeUrl: string
}

const Funded = Schema.Struct({ tx_hash: Schema.String })

const Refused = Schema.Struct({ error: Schema.Struct({ message: Schema.String }) })

const largestMemoId = 2n ** 64n - 1n

/** On stellar a memo of digits is an id, everything else is text. */
const memoOf = (memo: string) =>
  /^(?:0|[1-9]\d{0,19})$/u.test(memo) && BigInt(memo) <= largestMemoId
    ? { type: "id", value: memo }
    : { type: "text", value: memo }

const isIn = <S extends Schema.Codec<unknown, unknown>>(schema: S, body: unknown) =>
  Option.isSome(Schema.decodeUnknownOption(schema)(body))

const Receipt = Schema.Struct({ result: Schema.Struct({ blockNumber: Schema.String }) })
const Confirmations = Schema.Struct({
  result: Schema.Struct({ confirmations: Schema.Int.check(Schema.isGreaterThan(0)) })
})
const TronInfo = Schema.Struct({ blockNumber: Schema.Int })
const Successful = Schema.Struct({ successful: Schema.Literal(true) })

const confirmedAt = (family: KeyFamily, nodeUrl: string, txHash: string): Effect.Effect<boolean> => {
  const rpc = (method: string, params: ReadonlyArray<unknown>) =>
    ask(nodeUrl, { jsonrpc: "2.0", id: 1, method, params })
  if (family === "evm") {
    return Effect.map(rpc("eth_getTransactionReceipt", [txHash]), (asked) => isIn(Receipt, asked?.body))
  }
  if (family === "bitcoin") {
    return Effect.map(rpc("getrawtransaction", [txHash, true]), (asked) => isIn(Confirmations, asked?.body))
  }
  const base = nodeUrl.replace(/\/$/u, "")
  return family === "tron"
    ? Effect.map(ask(`${base}/wallet/gettransactioninfobyid`, { value: txHash }), (asked) =>
        isIn(TronInfo, asked?.body)
      )
    : Effect.map(ask(`${base}/transactions/${txHash}`), (asked) => isIn(Successful, asked?.body))
}

/** Pays from the faucets of local networks, in real transactions, through their control servers. A network that is missing is not paid on. */
export const devnetPayer = (
  endpoints: Readonly<Partial<Record<Network, DevnetEndpoint>>>,
  currencies: CurrencyTable = defaultCurrencies
): Payer => ({
  pay: Effect.fn("devnetPayer.pay")(function* ({ contract, memo, network, to, units }: Payment) {
    const endpoint = endpoints[network]
    const currency = currencies.byAsset(network, contract)
    if (endpoint === undefined || currency === undefined) {
      return yield* new PaymentError({ sent: "no", detail: `${network} or its asset ${contract} is not run here` })
    }
    const asked = yield* ask(`${endpoint.controlUrl}/fund`, {
      address: to,
      asset: currency.code,
      amount: format(units, currency.decimals),
      ...(memo === null ? {} : { memo: memoOf(memo) })
    })
    const funded = Schema.decodeUnknownOption(Funded)(asked?.body)
    if (asked?.status === 200 && Option.isSome(funded)) return { txHash: funded.value.tx_hash }
    const refusal = Schema.decodeUnknownOption(Refused)(asked?.body)
    // Behind the controls of the EVM networks stands another process, whose answer may have been lost.
    const certain = asked?.status === 422 || currencies.networks.of(network).family !== "evm"
    return yield* certain && Option.isSome(refusal)
      ? new PaymentError({ sent: "no", detail: refusal.value.error.message })
      : new PaymentError({ sent: "unknown", detail: `the faucet of ${network} did not say what it did` })
  }),
  confirmed: (network, txHash) => {
    const endpoint = endpoints[network]
    return endpoint === undefined
      ? Effect.succeed(false)
      : confirmedAt(currencies.networks.of(network).family, endpoint.nodeUrl, txHash)
  }
})
