import { Context, Effect, Layer } from "effect"
import { TronWeb } from "tronweb"
import { base58Of } from "../src/address.ts"
import * as TronDevnet from "../src/TronDevnet.ts"

/** A local network whose blocks are made as transactions arrive, and a wallet that knows nothing of it but its address. */
export class Tron extends Context.Service<
  Tron,
  { readonly devnet: TronDevnet.TronDevnet; readonly wallet: TronWeb; readonly stranger: Effect.Effect<string> }
>()("@bursar/simulator-tron/test/Tron") {
  static readonly layer = (options: TronDevnet.TronDevnetOptions = { mining: "automine" }) =>
    Layer.effect(
      Tron,
      Effect.map(TronDevnet.make(options), (devnet) => {
        let serial = 0
        return Tron.of({
          devnet,
          wallet: new TronWeb({ fullHost: devnet.nodeUrl, privateKey: devnet.fundedKey }),
          stranger: Effect.sync(() => strangerAt(++serial))
        })
      })
    )
}

/** An address nobody has used, in base58. */
const strangerAt = (serial: number): string => base58Of(`415a${serial.toString(16).padStart(38, "0")}`)

/** Runs something of a library that answers with promises; what it throws is given back. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Error> =>
  Effect.tryPromise({ try: run, catch: (error) => (error instanceof Error ? error : new Error(String(error))) })

/** Asks the node as any client could. */
export const ask = (url: string, endpoint: string, body: object = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/${endpoint}`, { method: "POST", body: JSON.stringify(body) })
    // Each test looks at what it expects.
    return (await response.json()) as Readonly<Record<string, unknown>>
  })

/** The functions of a contract as tronweb gives them. */
type Methods = Readonly<
  Record<
    string,
    (...values: ReadonlyArray<unknown>) => {
      readonly call: () => Promise<unknown>
      readonly send: (options?: { readonly feeLimit: number }) => Promise<string>
    }
  >
>

/** The functions of a contract, read from the node. */
export const contractAt = (wallet: TronWeb, address: string | undefined) =>
  Effect.map(
    // tronweb types a contract by its ABI, which is only known once it is read.
    attempt(() => wallet.contract().at(address ?? "") as Promise<{ readonly methods: Methods }>),
    ({ methods }) => methods
  )
