// The engine loads some of its code late, which a worker can only do as an ES module.
export default { worker: { format: 'es' } };
