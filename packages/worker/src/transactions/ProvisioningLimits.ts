/** How often accounts are looked at. */
export interface ProvisioningLimits {
  /** Tenants looked at in one pass. */
  readonly tenantsPerPassMax: number
  /** Tenants looked at the same time. */
  readonly tenantsAtOnce: number
  /** How long accounts are left alone that are all they have to be. */
  readonly readyMs: number
}

/** The limits that a service starts with. */
export const defaultProvisioningLimits: ProvisioningLimits = {
  tenantsPerPassMax: 50,
  tenantsAtOnce: 4,
  readyMs: 3_600_000
}
