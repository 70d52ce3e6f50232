import { AddressFormats } from "@bursar/core/port/AddressFormats"
import type { Network } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Layer, Result } from "effect"

const enabled: ReadonlyArray<Network> = ["ethereum", "bsc", "base"]

/** Addresses that are 40 hex digits after `0x`, kept in lower case; one that is written all in `f` has a wrong checksum. */
export const formats = Layer.succeed(
  AddressFormats,
  AddressFormats.of({
    enabled,
    parse: (network, text) =>
      presetNetworks.of(network).family === "evm" && /^0x[0-9a-fA-F]{40}$/u.test(text) && !/^0xf+$/iu.test(text)
        ? Result.succeed(text.toLowerCase())
        : Result.fail("The checksum of the address is wrong.")
  })
)
