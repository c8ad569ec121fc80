/** The model of a version without a vector: only its words can be searched until the service has embedded it. */
export const notEmbedded = 'none'
