import { Context, type Result } from "effect"
import type { Network } from "../money/Network.ts"

/**
 * How the addresses of the enabled networks are written. `parse` gives the canonical form of a valid address, or says in
 * words why it is none (wrong checksum, another network's form, an address that must not receive). Pure.
 */
export class AddressFormats extends Context.Service<
  AddressFormats,
  {
    readonly enabled: ReadonlyArray<Network>
    readonly parse: (network: Network, text: string) => Result.Result<string, string>
  }
>()("@bursar/core/port/AddressFormats") {}
