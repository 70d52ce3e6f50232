import { defineRecord } from "../engine/Records.ts"

/**
 * Which of our operations a provider's own reference belongs to. A custodian that takes no references of ours is searched by what
 * an order looks like: what it finds twice is found for one of them only, among all tenants (`orderOwner`).
 */
export interface ProviderOrder {
  readonly provider: string
  readonly providerReference: string
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
