import { Effect } from "effect"
import type { World } from "../world/World.ts"
import type { PartnerOfWorld } from "./letIn.ts"

const lookMs = 500

/** Somebody fills the wallets once the service reads a network on which it counts what it has found there itself. */
export const funding = (
  { accounts, assets, config, network, note, state }: World,
  partners: ReadonlyArray<PartnerOfWorld>
) =>
  Effect.gen(function* () {
    if (accounts !== null) return
    while (state.networks.get(config.network)?.cursor === undefined) yield* Effect.sleep(lookMs)
    note("the wallets are filled")
    for (const [wallet] of partners.map(({ wallets }) => wallets))
      for (const { chain, currency } of assets.endowments)
        if (currency === assets.coin && wallet !== undefined) network.endow(wallet, null, chain)
  })
