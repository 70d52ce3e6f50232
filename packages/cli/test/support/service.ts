import type { EvmNetwork } from "@bursar/simulator-evm/EvmNetwork"
import { type Command } from "@bursar/core/engine/Command"
import { layer as layerWriter, Writer } from "@bursar/core/engine/Writer"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, Layer, Redacted } from "effect"
import type { EvmDevnet } from "@bursar/simulator-evm/EvmDevnet"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import type { Scope } from "effect"
import type { Variables } from "./environmentFor.ts"
import { bursar } from "./bursar.ts"
import { makePayer } from "./payer.ts"
import { openTenant, operatorOn, partnerOn, untilLetIn } from "./tenant.ts"
import { openWorld, serve, work } from "./world.ts"

/** The token that payers use, by network. */
export const tokenOf: Readonly<Record<EvmNetwork, string>> = {
  ethereum: "USDT_ETH",
  bsc: "USDT_BSC",
  base: "USDC_BASE"
}

/** A whole service in processes of its own, one server and one worker, with a tenant and somebody who pays. */
export const openService = Effect.fnUntraced(function* (
  network: EvmNetwork,
  more: (devnet: EvmDevnet) => Effect.Effect<Variables, DevnetError, Scope.Scope> = () => Effect.succeed({})
) {
  const opened = yield* openWorld(network)
  const world = { ...opened, env: { ...opened.env, ...(yield* more(opened.devnet)) } }
  const [server, worker] = yield* Effect.all([serve(world.env), work(world.env)], { concurrency: 2 })
  const operator = yield* operatorOn(server.operatorUrl)
  const tenant = yield* openTenant(operator, "acme")
  const partner = yield* partnerOn(server.partnerUrl, tenant.key)
  yield* untilLetIn(partner)
  yield* worker.says("watch.started")
  const ports = yield* Layer.build(
    layerWriter.pipe(Layer.provideMerge(layerPostgres({ url: Redacted.make(world.databaseUrl), maxConnections: 2 })))
  )
  return {
    ...world,
    server,
    worker,
    operator,
    tenant,
    partner,
    payer: yield* makePayer(world.devnet, tokenOf[network]),
    /** Does what no interface offers yet, through the core on the same database. */
    submit: <A>(command: Command<A>) =>
      Effect.provide(
        Effect.flatMap(Writer, (writer) => writer.submit(TenantId(tenant.id), command)),
        ports
      ),
    /** `bursar check`, as an operator runs it. */
    check: bursar(["check"], { env: { DATABASE_URL: world.databaseUrl } })
  }
})
