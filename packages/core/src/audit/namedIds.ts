import { isUuid } from "../base/uuid.ts"
import type { OperatorAction } from "./AuditRecord.ts"

/** Parameters of an action with ids in lower case, as the records that they name have them: a path may have them in capitals. */
export const namedIds = (params: OperatorAction["params"]): OperatorAction["params"] =>
  Object.fromEntries(
    Object.entries(params).map(([param, value]) => [param, isUuid(value.toLowerCase()) ? value.toLowerCase() : value])
  )
