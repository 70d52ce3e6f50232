import { type IncomingHttpHeaders, request as nodeRequest } from "node:http"
import { scopes as allScopes } from "@bursar/api/scopes/Scopes"
import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Tenants } from "@bursar/core/port/Tenants"
import {
  defaultPolicy,
  type Tenant,
  TenantId,
  type TenantKind,
  type TenantPolicy,
  type TenantStatus
} from "@bursar/core/tenant/Tenant"
import { addApiKey, setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { emptyState, layerOver, type State } from "@bursar/memory"
import { Clock, Context, Effect, Layer, Logger, Redacted } from "effect"
import { ServerConfig, type ServerSettings } from "../../src/config/ServerConfig.ts"
import { makeKey } from "../../src/keys/makeKey.ts"
import { listen } from "../../src/listen.ts"
import * as PartnerServer from "../../src/PartnerServer.ts"
import { byContract } from "./byContract.ts"
import { vault } from "./TestKeys.ts"
import { networks } from "./TestPorts.ts"

/** The settings of the servers under test. What is read of keys and tenants is believed for no time at all. */
export const settings = {
  serviceName: "service",
  keyPrefix: "bsr",
  publicAuthorities: ["api.example.test"],
  trustedProxies: [],
  keyPepper: Redacted.make("pepper-pepper-pepper-pepper-pepper"),
  cursorSecret: Redacted.make("cursor-cursor-cursor-cursor-cursor"),
  operatorToken: Redacted.make("operator-operator-operator-operator"),
  currencies: defaultCurrencies,
  directoryTtl: 0
} satisfies ServerSettings

/** An answer as it came, its body read as JSON where it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // Bodies differ by route; each test looks at what it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** What is sent besides method and path. */
export interface Sent {
  readonly key?: string
  readonly body?: unknown
  /** A body that is sent as it is. */
  readonly raw?: string | Buffer
  /** The body goes out in chunks, without its length. */
  readonly chunked?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request over a connection of its own, with no header that was not asked for. */
export const send =
  (baseUrl: string) =>
  (method: string, path: string, sent: Sent = {}): Effect.Effect<Answer> =>
    Effect.callback<Answer>((resume) => {
      const raw = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
      const headers: Record<string, string> = {
        ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
        ...(raw === undefined ? {} : { "content-type": "application/json" }),
        ...(raw === undefined || sent.chunked === true ? {} : { "content-length": String(Buffer.byteLength(raw)) }),
        ...sent.headers
      }
      const request = nodeRequest(`${baseUrl}${path}`, { method, headers, agent: false }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          const json = response.headers["content-type"]?.startsWith("application/json") === true && text !== ""
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: json ? JSON.parse(text) : undefined
            })
          )
        })
      })
      request.on("error", (error) => resume(Effect.die(error)))
      if (sent.chunked === true && raw !== undefined) {
        // Without a length, node:http sends what is written in chunks.
        request.write(raw)
      }
      request.end(sent.chunked === true ? undefined : raw)
    })

/** How a tenant of a test differs from the usual one: active, callable from anywhere. */
export interface TenantOptions {
  readonly kind?: TenantKind
  readonly policy?: Partial<TenantPolicy>
  readonly status?: TenantStatus
}

/** Makes tenants and keys, as an operator would. */
export const makeSeeder = Effect.gen(function* () {
  const tenants = yield* Tenants
  const writer = yield* Writer.Writer
  let made = 0
  const kinds = new Map<TenantId, TenantKind>()
  const submit = <A>(tenant: TenantId, command: Command<A>) => Effect.orDie(writer.submit(tenant, command))
  const tenant = Effect.fnUntraced(function* ({ kind = "LIVE", policy, status = "ACTIVE" }: TenantOptions = {}) {
    made += 1
    const id = TenantId(`019845e1-682f-7b02-a706-${String(made).padStart(12, "0")}`)
    const tenant: Tenant = {
      id,
      slug: `tenant-${made}`,
      name: `Tenant ${made}`,
      kind,
      status: "ONBOARDING",
      policy: defaultPolicy,
      createdAt: yield* Clock.currentTimeMillis
    }
    kinds.set(id, kind)
    yield* Effect.orDie(tenants.create(tenant))
    yield* submit(id, setTenantPolicy({ ipAllowlist: null, ...policy }))
    if (status !== "ONBOARDING") yield* submit(id, setTenantStatus("ACTIVE"))
    if (status !== "ONBOARDING" && status !== "ACTIVE") yield* submit(id, setTenantStatus(status))
    return id
  })
  const key = Effect.fnUntraced(function* (tenantId: TenantId, scopes: ReadonlyArray<string> = allScopes) {
    const { record, secret } = yield* makeKey({
      prefix: settings.keyPrefix,
      tenant: { id: tenantId, kind: kinds.get(tenantId) ?? "LIVE" },
      label: "test",
      scopes,
      pepper: settings.keyPepper
    })
    yield* submit(tenantId, addApiKey(record))
    return Redacted.value(secret)
  })
  return { submit, tenant, key }
})

/** A box that hides nothing: these tests keep no real secret. */
export const openBox = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: (owner, secret) => Effect.succeed(`${owner}|${Redacted.value(secret)}`),
    open: (owner, sealed) => Effect.succeed(Redacted.make(sealed.slice(owner.length + 1)))
  })
)

/** Every port over one state, the writer included. */
export const portsOver = (state: State) =>
  Layer.merge(Writer.layer, vault).pipe(
    Layer.provideMerge(layerOver(state)),
    Layer.merge(networks),
    Layer.merge(openBox)
  )

/** A partner server over memory, listening on a free port of its own. */
export class Partner extends Context.Service<
  Partner,
  {
    readonly url: string
    readonly send: ReturnType<typeof send>
    readonly state: State
    /** All that was logged, one JSON line each. */
    readonly logged: ReadonlyArray<string>
    readonly seeder: Effect.Success<typeof makeSeeder>
  }
>()("test/Partner") {
  static readonly layer = (changes: Partial<ServerSettings> = {}, ports = portsOver) =>
    Layer.unwrap(
      Effect.sync(() => {
        const state = emptyState()
        const logged: Array<string> = []
        const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
        const environment = Layer.mergeAll(ports(state), Layer.succeed(ServerConfig, { ...settings, ...changes }), log)
        return Layer.effect(
          Partner,
          Effect.gen(function* () {
            const seeder = yield* makeSeeder
            const { url } = yield* listen(PartnerServer.routes, { port: 0, gracefulShutdownTimeout: "2 seconds" })
            const asking = send(url)
            const sendChecked: ReturnType<typeof send> = (method, path, sent) =>
              Effect.flatMap(asking(method, path, sent), (answer) => byContract(method, path, answer))
            return { url, send: sendChecked, state, logged, seeder }
          })
        ).pipe(Layer.provide(environment))
      })
    )
}
