import type { ServerSettings } from "@bursar/server"
import { PartnerServer, ServerConfig, toWebHandler } from "@bursar/server"
import * as MasterKeySecretBox from "@bursar/vault/MasterKeySecretBox"
import * as SealedVault from "@bursar/vault/SealedVault"
import { Effect, Layer, Redacted } from "effect"
import type { World } from "../world/World.ts"
import type { Gate, Host } from "../process/Host.ts"
import { layerPorts } from "./ports.ts"
import { authority, keyPepper, keyPrefix, masterKeys } from "./settings.ts"

/** A request of a partner, as it goes over the wire. */
export interface Call {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** An answer, or that the connection broke. */
export type Reply = { readonly status: number; readonly body: string } | "broken"

/** A process that answers partners. */
export interface Server {
  readonly host: Host
  readonly call: (call: Call) => Effect.Effect<Reply>
}

const settingsOf = ({ currencies }: World): ServerSettings => ({
  serviceName: "service",
  keyPrefix,
  publicAuthorities: [authority],
  trustedProxies: [],
  keyPepper,
  cursorSecret: Redacted.make("cursor-cursor-cursor-cursor-cursor"),
  operatorToken: null,
  currencies,
  directoryTtl: "4 seconds"
})

/** Starts a process that answers partners. */
export const startServer = (gate: Gate, world: World): Server => {
  const { host, kernel } = gate
  const services = Layer.mergeAll(
    SealedVault.layer(masterKeys, world.currencies.networks),
    MasterKeySecretBox.layer(masterKeys),
    Layer.succeed(ServerConfig, settingsOf(world))
  ).pipe(Layer.provideMerge(layerPorts(gate, world)))
  const web = toWebHandler(PartnerServer.routes, services)
  host.onDeath(() => {
    kernel.stirred()
    void web.dispose()
  })
  return {
    host,
    call: ({ body, headers, method, path }) =>
      Effect.callback<Reply>((resume) => {
        if (!host.alive()) return resume(Effect.succeed("broken"))
        const over = kernel.waiting()
        let told = false
        const tell = (reply: Reply): void => {
          if (told) return
          told = true
          over()
          resume(Effect.succeed(reply))
        }
        host.onDeath(() => tell("broken"))
        const request = new Request(`https://${authority}${path}`, { method, headers, body })
        web
          .handler(request, { clientAddress: "192.0.2.1" })
          .then(async (response) => {
            const text = await response.text()
            tell({ status: response.status, body: text })
          })
          .catch(() => tell("broken"))
        return Effect.sync(() => tell("broken"))
      })
  }
}
