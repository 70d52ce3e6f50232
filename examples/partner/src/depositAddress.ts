import { type Client, isOutcomeUnknown } from "@bursar/client"

/** A customer's address on ethereum. */
export interface CustomerAddress {
  readonly customer: string
  readonly address: string
}

/** What came of the wish: the address is watched under this id, it was refused for this reason, or nobody knows yet. */
export type Watched = { readonly id: string } | { readonly refused: string } | { readonly askAgain: true }

/** Has the service watch a customer's address. Asking again, after a crash or a broken connection, changes nothing. */
export const watchAddress = async (client: Client, { address, customer }: CustomerAddress): Promise<Watched> => {
  const request = { addresses: [{ network: "ethereum", address, reference: customer }] }
  try {
    // each address of a registration is taken or refused by itself
    const { results } = await client.depositAddresses.register(request, { idempotencyKey: `watch-${customer}` })
    const [line] = results
    return line?.address ? { id: line.address.id } : { refused: line?.error?.code ?? "not answered" }
  } catch (error) {
    if (isOutcomeUnknown(error)) return { askAgain: true }
    throw error
  }
}

/** The references of everybody whose address is watched. */
export const watchedCustomers = async (client: Client): Promise<ReadonlyArray<string>> => {
  const references: Array<string> = []
  for await (const { reference } of client.depositAddresses.each()) references.push(reference)
  return references
}
