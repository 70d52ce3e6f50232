import { hashToken } from "@bursar/server/keys/operatorTokens"
import type { OperatorRole } from "@bursar/api/operator/Operator"
import { writeOperator } from "../src/config/operators.ts"

const operatorNamed = (name: string, role: OperatorRole) => {
  const token = `${name}-${name}-${name}-${name}-${name}-${name}-${name}`
  return { token, entry: writeOperator({ name, role, tokenHash: hashToken(token) }) }
}

/** Two people who operate the service: what one proposes the other verifies. */
export const [ann, bob] = [operatorNamed("ann", "admin"), operatorNamed("bob", "approver")]
