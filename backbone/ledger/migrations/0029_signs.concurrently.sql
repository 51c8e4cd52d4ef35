-- By meaning, for owners of many items: of each vector its signs alone, 64 bytes instead of 1,024 in the largest of the
-- indexes. The nearest by signs are compared by their vectors, which the rows have (docs/adr/0079).
create index if not exists items_signs on only memory.items
  using hnsw ((public.binary_quantize(vector)::bit(512)) public.bit_hamming_ops);
create index concurrently if not exists items_0_signs on memory.items_0
  using hnsw ((public.binary_quantize(vector)::bit(512)) public.bit_hamming_ops);
alter index memory.items_signs attach partition memory.items_0_signs;
create index concurrently if not exists items_1_signs on memory.items_1
  using hnsw ((public.binary_quantize(vector)::bit(512)) public.bit_hamming_ops);
alter index memory.items_signs attach partition memory.items_1_signs;
create index concurrently if not exists items_2_signs on memory.items_2
  using hnsw ((public.binary_quantize(vector)::bit(512)) public.bit_hamming_ops);
alter index memory.items_signs attach partition memory.items_2_signs;
create index concurrently if not exists items_3_signs on memory.items_3
  using hnsw ((public.binary_quantize(vector)::bit(512)) public.bit_hamming_ops);
alter index memory.items_signs attach partition memory.items_3_signs;
drop index if exists memory.items_vectors;
