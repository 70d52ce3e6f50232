/** Keys in AWS KMS. */
export { type KmsOptions } from "./KmsOptions.ts"
export { makeKmsCustody } from "./KmsCustody.ts"
export { makeKmsKeyWrapper } from "./KmsKeyWrapper.ts"
