/** Which KMS is asked. Credentials come from where the AWS SDK finds them: environment, profile, role of the machine. */
export interface KmsOptions {
  readonly region: string
  /** What the aliases and descriptions of the service's keys begin with; other keys are not used. Default `bursar/`. */
  readonly prefix?: string
  /** Instead of the region's own, such as a VPC endpoint. `http:` only to this machine. */
  readonly endpoint?: string
  /** How often one call is made at most; those after the first wait longer each time. Default 4. */
  readonly attemptsMax?: number
  /** How long one attempt may take. Default 10 000. */
  readonly timeoutMs?: number
  /** How many calls may be under way at once. Default 32. */
  readonly concurrencyMax?: number
}

/** How a custody in AWS KMS is called by wallets, logs and settings. */
export const custodyName = "aws-kms"

/** What keys are named by where nothing else is set. */
export const prefixDefault = "bursar/"
