// The C++ library is included by CJSON alone; Swift sees only its C face.
