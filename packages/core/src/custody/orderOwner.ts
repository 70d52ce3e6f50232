import { defineFact } from "../engine/Records.ts"

/**
 * The id of the operation that a provider's order belongs to, by `providerOrderKey`, whichever tenant it is of: a custodian that is searched by what
 * an order looks like does not tell tenants apart. Null where no operation has it.
 */
export const orderOwner = defineFact<string | null>({ name: "orderOwner", none: null })
