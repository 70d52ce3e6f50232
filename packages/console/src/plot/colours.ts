/** The colours of lines, one after the other, as the page names them. */
export const lineColours = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"] as const
