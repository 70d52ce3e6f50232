import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { StellarDevnet } from "@bursar/simulator-stellar/StellarDevnet"
import { stellarNetwork, type StellarNetworkSettings } from "@bursar/stellar"
import { Redacted } from "effect"

/** Stellar over a local network, with other settings where a test wants them. */
export const stellarOver =
  ({ horizonUrl, networkPassphrase, usdc }: Pick<StellarDevnet, "horizonUrl" | "networkPassphrase" | "usdc">) =>
  (settings: Partial<StellarNetworkSettings> = {}) =>
    stellarNetwork({
      traits: presetNetworks.of("stellar"),
      horizonUrl: Redacted.make(horizonUrl),
      networkPassphrase,
      assets: [usdc],
      ...settings
    })
