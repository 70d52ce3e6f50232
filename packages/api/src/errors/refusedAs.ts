import type { ErrorCode } from "./Catalogue.ts"

/** The annotation under which a check names its code. */
export const refusalCodeKey = "refusalCode"

/** Names the code of a schema check that fails, where it is not `invalid_request`. */
export const refusedAs = (code: ErrorCode, expected: string) => ({ [refusalCodeKey]: code, expected })
