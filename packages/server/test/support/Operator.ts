import { emptyState, type State } from "@bursar/memory"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { ServerConfig, type ServerSettings } from "../../src/config/ServerConfig.ts"
import { listen } from "../../src/listen.ts"
import * as OperatorServer from "../../src/OperatorServer.ts"
import * as PartnerServer from "../../src/PartnerServer.ts"
import type { NamedOperator } from "../../src/config/ServerConfig.ts"
import { hashToken } from "../../src/keys/operatorTokens.ts"
import { assertValued } from "./valued.ts"
import { makeSeeder, portsOver, send, type Sent, settings } from "./Partner.ts"

/** The token of the administrator where people have tokens of their own. */
const rootToken = "root-root-root-root-root-root-root-root"

const root: NamedOperator = { name: "root", role: "admin", tokenHash: hashToken(rootToken), expiresAt: null }

/** Both servers over one memory, each on a free port of its own. */
export class Operator extends Context.Service<
  Operator,
  {
    /** Sends with an administrator's token unless another key is given. */
    readonly operate: ReturnType<typeof send>
    readonly operatorUrl: string
    readonly partnerUrl: string
    readonly ask: ReturnType<typeof send>
    readonly state: State
    /** All that was logged, one JSON line each. */
    readonly logged: ReadonlyArray<string>
    readonly seeder: Effect.Success<typeof makeSeeder>
  }
>()("test/Operator") {
  /** With settings and ports that differ from the usual ones. */
  static readonly layerWith = (changes: Partial<ServerSettings>, ports = portsOver) =>
    Layer.unwrap(
      Effect.sync(() => {
        const state = emptyState()
        const { operators = [] } = changes
        const people = operators.length === 0 ? [] : [...operators, root]
        const key = people.length === 0 ? Redacted.value(settings.operatorToken) : rootToken
        const config = Layer.succeed(ServerConfig, { ...settings, ...changes, operators: people })
        const logged: Array<string> = []
        const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
        const environment = Layer.mergeAll(ports(state), config, log)
        return Layer.effect(
          Operator,
          Effect.gen(function* () {
            const seeder = yield* makeSeeder
            const operator = yield* listen(OperatorServer.routes, { port: 0 })
            const partner = yield* listen(PartnerServer.routes, { port: 0 })
            const sendOperator = send(operator.url)
            return {
              operate: (method: string, path: string, sent: Sent = {}) =>
                Effect.tap(sendOperator(method, path, { key, ...sent }), (answer) =>
                  Effect.sync(() => {
                    const isDone = method !== "GET" && answer.status >= 200 && answer.status < 300
                    if (isDone) assertValued(state, sent, answer)
                  })
                ),
              operatorUrl: operator.url,
              partnerUrl: partner.url,
              ask: send(partner.url),
              state,
              logged,
              seeder
            }
          })
        ).pipe(Layer.provide(environment))
      })
    )

  static readonly layer = Operator.layerWith({})
}
