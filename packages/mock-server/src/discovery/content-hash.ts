/**
 * A hash of a document, for ETags and for URLs that change with their content. It tells versions of one
 * server's documents apart; it is no checksum against anybody's will.
 */
export function contentHash(text: string): string {
  let hash = ''
  for (let seed = 0; seed < 4; seed++) hash += fnv1a(text, 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1))
  return hash
}

function fnv1a(text: string, basis: number): string {
  let hash = basis
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(16).toUpperCase().padStart(8, '0')
}
