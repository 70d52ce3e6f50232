import { defineRecord } from "../engine/Records.ts"

/**
 * Which of our operations a provider's own reference belongs to, among all tenants (`orderOwner`): what it tells twice is booked once. A custodian
 * that takes no references of ours is searched by what an order looks like, and may find it for several. What arrived on an account of the fiat
 * provider is named by that account and the payment (`incomingKey`). So is the account itself (`boundKey`), which belongs to one of our accounts.
 */
export interface ProviderOrder {
  readonly provider: string
  readonly providerReference: string
  /** Of what the provider's account is bound to, the id of our account. */
  readonly operationId: string
}

/** The key of a provider's order. */
export const providerOrderKey = (provider: string, providerReference: string): string =>
  `${provider}|${providerReference}`

/** Orders by the providers' own references. */
export const ProviderOrder = defineRecord<ProviderOrder>({
  name: "ProviderOrder",
  key: ({ provider, providerReference }) => providerOrderKey(provider, providerReference),
  traits: { unique: true }
})
