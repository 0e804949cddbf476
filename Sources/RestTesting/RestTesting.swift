import RestEngine
