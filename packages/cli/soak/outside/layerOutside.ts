import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { Prices } from "@bursar/core/port/Prices"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import { readHint } from "@bursar/simulation/outside/Hints"
import { Effect, Layer } from "effect"
import { terms } from "./terms.ts"
import { type OutsidePort, readAnswer, written } from "./wire.ts"

/** What does not answer for so long has not answered. */
const patience = "30 seconds"

/** The calls of a port over the wire. What an answer holds is what the port's call gives: both sides are of one version. */
const reaching = (url: string, port: OutsidePort) => {
  const read = <A>(name: string, ...given: ReadonlyArray<unknown>): Effect.Effect<A, ProviderError> => {
    const failed = (detail: string) => new ProviderError({ provider: port, doing: name, detail })
    return Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(url, { method: "POST", body: written({ port, name, given }), signal })
        return readAnswer(new Uint8Array(await response.arrayBuffer()))
      },
      catch: (cause) => failed(String(cause))
    }).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(failed("no answer")) }),
      Effect.flatMap((answer) =>
        answer._tag === "Answered" ? Effect.succeed(answer.value as A) : Effect.fail(new ProviderError(answer.error))
      )
    )
  }
  return {
    read,
    /** A call that moves value, or tells what became of one that did. */
    move: <A>(name: string, ...given: ReadonlyArray<unknown>): Effect.Effect<ProviderResult<A>> =>
      Effect.catch(read<ProviderResult<A>>(name, ...given), ({ detail }) => Effect.succeed(unknown(detail))),
    /** What may be unknown. */
    know: <A>(name: string, ...given: ReadonlyArray<unknown>): Effect.Effect<A | null> =>
      Effect.catch(read<A | null>(name, ...given), () => Effect.succeed(null))
  }
}

const custodian = (url: string): Custodian["Service"] => {
  const { know, move, read } = reaching(url, "custodian")
  return {
    name: "exchange",
    environment: "SANDBOX",
    assets: read("assets"),
    pairs: read("pairs"),
    balances: read("balances"),
    networkFeeBorneBy: terms.networkFeeBorneBy,
    withdrawalFee: (...given) => know("withdrawalFee", ...given),
    conversionFee: (...given) => know("conversionFee", ...given),
    convert: (...given) => move("convert", ...given),
    conversion: (...given) => move("conversion", ...given),
    withdraw: (...given) => move("withdraw", ...given),
    withdrawal: (...given) => move("withdrawal", ...given)
  }
}

const fiat = (url: string): FiatProvider["Service"] => {
  const { move, read } = reaching(url, "fiat")
  return {
    name: "bank",
    environment: "SANDBOX",
    // who somebody is stays here: the bank of a soak asks for nobody's papers
    register: ({ isBusiness, reference }) => move("register", { isBusiness, reference }),
    openAccount: (...given) => move("openAccount", ...given),
    account: (...given) => read("account", ...given),
    incoming: (...given) => read("incoming", ...given),
    send: (...given) => move("send", ...given),
    transfer: (...given) => move("transfer", ...given),
    balances: read("balances"),
    readHint
  }
}

const identity = (url: string): IdentityProvider["Service"] => {
  const { move, read } = reaching(url, "identity")
  return {
    name: "verifier",
    environment: "SANDBOX",
    open: (...given) => move("open", ...given),
    state: (...given) => read("state", ...given),
    readHint
  }
}

const prices = (url: string): Prices["Service"] => {
  const { know } = reaching(url, "prices")
  return { usd: (currency) => know("usd", currency), rate: (from, to) => know("rate", from, to) }
}

/** The providers of a process of the service: what the process of the soak holds is asked over the wire. */
export const layerOutside = (url: string) =>
  Layer.mergeAll(
    Layer.succeed(Custodian, Custodian.of(custodian(url))),
    Layer.succeed(FiatProvider, FiatProvider.of(fiat(url))),
    Layer.succeed(IdentityProvider, IdentityProvider.of(identity(url))),
    Layer.succeed(Prices, Prices.of(prices(url)))
  )
