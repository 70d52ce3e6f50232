import type { Network } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { type FakeNetworkParts, layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { Result } from "effect"
import { testKeys } from "./TestKeys.ts"

/** The networks that are on where a test does not say otherwise. */
export const enabled: ReadonlyArray<Network> = ["ethereum", "bsc", "base"]

/**
 * A network whose keys are those of EVM networks and whose node does not answer. On those networks addresses are 40 hex digits after
 * `0x`, kept in lower case; one that is written all in `f` has a wrong checksum.
 */
export const testNetwork = (network: Network, parts: FakeNetworkParts = {}): NetworkAdapter =>
  makeFakeNetwork(network, {
    parseAddress: (text) =>
      presetNetworks.of(network).family === "evm" && /^0x[0-9a-fA-F]{40}$/u.test(text) && !/^0xf+$/iu.test(text)
        ? Result.succeed(text.toLowerCase())
        : Result.fail("The checksum of the address is wrong."),
    keys: testKeys(network),
    ...parts
  })

/** The EVM networks of the presets, none with a node. */
export const networks = layerFakeNetworks(enabled.map((network) => testNetwork(network)))
