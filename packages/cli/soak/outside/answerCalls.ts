import type { ProviderError } from "@bursar/core/port/ProviderError"
import type { AskNode } from "@bursar/simulation/outside/WorldNetwork"
import { Effect, FiberSet } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Outside } from "./Outside.ts"
import { type OutsidePort, type PortAnswer, type PortCall, readCall, written } from "./wire.ts"

const ask: AskNode = (_, answer) => answer

/** What stands behind each port. */
const behind = ({ bank, currencies, exchange, market, verifier }: Outside): Readonly<Record<OutsidePort, object>> => ({
  custodian: exchange.reachedBy(ask),
  fiat: {
    ...bank.reachedBy(ask),
    balances: Effect.sync(() => new Map(currencies.all.map(({ code }) => [code, bank.holds(code)])))
  },
  identity: verifier.reachedBy(ask),
  prices: market.prices
})

/** Carries a call out. */
const carryOut = (ports: ReturnType<typeof behind>, { given, name, port }: PortCall): Effect.Effect<PortAnswer> => {
  const found: unknown = Reflect.get(ports[port], name)
  const called: unknown = typeof found === "function" ? Reflect.apply(found, ports[port], given) : found
  if (!Effect.isEffect(called)) return Effect.die(new Error(`${port} has no ${name}`))
  // all that the calls of a port need is in them, and they fail with nothing else
  return (called as Effect.Effect<unknown, ProviderError>).pipe(
    Effect.match({
      onFailure: ({ detail, doing, provider }) => ({ _tag: "Failed" as const, error: { provider, doing, detail } }),
      onSuccess: (value) => ({ _tag: "Answered" as const, value })
    })
  )
}

/**
 * Answers the calls of processes, and gives the address at which. An order that has come is carried out, whatever becomes of whoever sent
 * it. Ends with the scope.
 */
export const answerCalls = Effect.fn("soak.answerCalls")(function* (outside: Outside) {
  const ports = behind(outside)
  const start = yield* FiberSet.makeRuntime<never>()
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (bytes: Buffer) => void parts.push(bytes))
    request.on("error", () => undefined)
    response.on("error", () => undefined)
    request.on("end", () => {
      const answering = Effect.suspend(() => carryOut(ports, readCall(Buffer.concat(parts))))
      start(Effect.map(answering, (answer) => response.end(written(answer))))
    })
  })
  return yield* Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        // a TCP server that listens has an AddressInfo
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed(`http://127.0.0.1:${port}`))
      })
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
})
