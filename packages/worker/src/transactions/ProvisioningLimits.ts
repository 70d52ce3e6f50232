/** How often accounts are looked at. */
export interface ProvisioningLimits {
  /** Tenants looked at in one pass. */
  readonly tenantsPerPassMax: number
  /** How long accounts are left alone that are all they have to be. */
  readonly readyMs: number
}

/** The limits that a service starts with. */
export const defaultProvisioningLimits: ProvisioningLimits = {
  tenantsPerPassMax: 50,
  readyMs: 3_600_000
}
